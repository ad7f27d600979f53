// `node --import <checkout>/src/strategy/register.ts --test`: lets tests of strategies, anywhere on disk,
// import `oddsmaker/strategy`, `oddsmaker/pricing`, `oddsmaker/indicators`, `oddsmaker/testkit`, `rxjs` and `zod`
// as strategy files do.
import { trapExit } from './host/exit-trap.ts';
import { shareOurPackages } from './host/loader.ts';

shareOurPackages(true);
trapExit();
