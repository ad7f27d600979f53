// `oddsmaker docs`: serves the site of the documentation that comes with the package.
import { join } from 'node:path';
import type { Command } from 'commander';
import { EXIT, messageOf, OddsmakerError } from '../domain/index.ts';
import { stopRequested } from '../ops/index.ts';
import { ROOT } from '../files/index.ts';
import { wholeNumber } from './flags.ts';

const HELP = `
Serves the documentation and the API reference of this version, with search. It needs no network. The port is open on
this machine only. Open the printed address in a browser; Ctrl-C ends the server.

The pages are files too: open dist/site/index.html of the package in a browser. From disk they have no search.

Exit:  0 it was stopped; 2 a wrong command line; 65 a checkout without a built site: npm run site builds it; 75 the port
       cannot be opened.

Examples:
  oddsmaker docs
  oddsmaker docs --port 8080
`;

export function registerDocs(command: Command, finish: (code: number) => void): void {
  command
    .description('Serves the documentation, with search, to a browser on this machine.')
    .option('--port <n>', 'where it listens; 0: any free port', wholeNumber(0, 65535), 0)
    .addHelpText('after', HELP)
    .action(async ({ port }: { readonly port: number }) => {
      finish(await serveDocs(port));
    });
}

async function serveDocs(listenPort: number): Promise<number> {
  const { openSiteServer, readPageFiles } = await import('../page/server/index.ts');
  const files = readPageFiles(join(ROOT, 'dist', 'site'));
  if (!files.has('/index.html'))
    throw new OddsmakerError('SITE_NOT_BUILT', 'the site is not built: run `npm run site` in the checkout');
  const server = await openSiteServer(listenPort, files).catch((error: unknown) => {
    throw new OddsmakerError('PORT_UNOPENED', `127.0.0.1:${listenPort} cannot be opened: ${messageOf(error)}`);
  });
  process.stdout.write(`${server.url}\n`);
  process.stderr.write('oddsmaker: the documentation, until Ctrl-C\n');
  await stopRequested();
  await server.app.close();
  return EXIT.done;
}
