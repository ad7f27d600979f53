// `node --import <checkout>/src/strategy/register.ts --test`: tests of strategies, wherever on disk they lie, import
// `oddsmaker/strategy`, `oddsmaker/pricing`, `oddsmaker/testkit`, `rxjs` and `zod` as strategy files do.
import { trapExit } from './host/exit-trap.ts';
import { shareOurPackages } from './host/loader.ts';

shareOurPackages(true);
trapExit();
