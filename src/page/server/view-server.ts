// The page of a past run: the same files, and recorded frames instead of a stream. It takes no commands.
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import { bad } from './api-error.ts';
import type { PageFile } from './files.ts';
import { takesGzip } from './files.ts';
import type { FrameReader } from '../frame-file.ts';
import { serveLogin } from './login.ts';
import type { ReadPorts } from './reads.ts';
import { serveReads } from './reads.ts';
import { openPageServer } from './page-server.ts';

export type ViewPorts = Pick<ReadPorts, 'why'> & {
  readonly frames: FrameReader;
  /** The name of the run's journal, which the page shows. */
  readonly journal: string;
  readonly files: ReadonlyMap<string, PageFile>;
};

const zip = promisify(gzip);
const HOST = '127.0.0.1';

/** Opens the server. `token` opens the page. Rejects when the port cannot be opened. */
export function openViewServer(
  { port, token }: { readonly port: number; readonly token: string },
  { frames, journal, files, why }: ViewPorts,
): Promise<{ readonly app: FastifyInstance; readonly url: string }> {
  return openPageServer(
    { host: HOST, port, hosts: [], isOpen: false, pages: '/', tokens: { control: undefined, view: token } },
    files,
    (parts) => {
      const { app } = parts;
      const demand = serveLogin(parts);
      serveReads(app, demand, { why, past: () => ({ ...frames.past, journal }) });

      app.get<{ Querystring: Readonly<Record<'at' | 'step' | 'market', string | undefined>> }>(
        '/api/frame',
        async (request, reply) => {
          demand(request, 'view');
          const { at: time = String(frames.past.from), step = '0', market } = request.query;
          const [t, steps] = [Number(time), Number(step)];
          if (time === '' || !Number.isFinite(t)) throw bad('expected ?at= with a time in Unix ms');
          if (!Number.isInteger(steps)) throw bad('expected ?step= with a number of frames');
          const { frame, before, after } = frames.at(t, steps);
          const { state, ladders } = frame;
          const text = JSON.stringify({
            state,
            before,
            after,
            market:
              market === undefined
                ? null
                : {
                    id: market,
                    ladder: Object.hasOwn(ladders, market) ? ladders[market] : null,
                    path: frames.pathOf(market).filter(([pointT]) => pointT <= state.t),
                  },
          });
          void reply.type('application/json; charset=utf-8');
          if (!takesGzip(request.headers)) return text;
          return reply.header('content-encoding', 'gzip').send(await zip(text));
        },
      );
    },
  );
}
