// A queue of BullMQ as it lies in Redis, where something of it was lost: jobs that are in no list, or whose list names what is
// not there. Whoever restarts a Redis without a disk, or writes there by hand, leaves such.
import { OddsmakerError } from '../../domain/index.ts';
import type { RedisLink } from './redis-link.ts';

const LISTS = ['wait', 'active', 'paused'] as const;
const SETS = ['completed', 'failed', 'delayed', 'prioritized'] as const;
const AT_ONCE = 1000;

export class QueueKeys {
  readonly #link: RedisLink;
  /** Before the name of each key. */
  readonly #of: string;

  /** `of`: prefix and name of the queue. */
  constructor(link: RedisLink, of: string) {
    this.#link = link;
    this.#of = of;
  }

  #key(name: string): string {
    return `${this.#of}:${name}`;
  }

  /** Of these jobs, those that nobody will ever take or tell of. @throws OddsmakerError QUEUE_* */
  async lost(ids: Iterable<string>): Promise<readonly string[]> {
    const listed = await this.#listed();
    const lost: string[] = [];
    const wanted = [...ids];
    for (let at = 0; at < wanted.length; at += AT_ONCE) {
      const some = wanted.slice(at, at + AT_ONCE);
      const types = this.#link.client.pipeline();
      for (const id of some) types.type(this.#key(id));
      const told = await this.#all<string>(types.exec());
      lost.push(...some.filter((id, index) => !listed.has(id) || told[index] !== 'hash'));
    }
    return lost;
  }

  /** Of these, those that cannot be read. `read`: of one. @throws OddsmakerError QUEUE_UNREACHABLE and its like */
  async unreadable(ids: readonly string[], read: (id: string) => Promise<unknown>): Promise<readonly string[]> {
    const bad: string[] = [];
    for (const id of ids) {
      try {
        if ((await this.#link.ask(read(id))) === undefined) bad.push(id);
      } catch (error) {
        if (error instanceof OddsmakerError && error.code !== 'QUEUE_INVALID') throw error;
        bad.push(id);
      }
    }
    return bad;
  }

  /** Those that are taken at the moment. @throws OddsmakerError QUEUE_* */
  async active(): Promise<readonly string[]> {
    return this.#link.ask(this.#link.client.lrange(this.#key('active'), 0, -1));
  }

  /** Nothing of them stays, whatever it is. @throws OddsmakerError QUEUE_* */
  async drop(ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      const all = this.#link.client.multi();
      for (const list of LISTS) all.lrem(this.#key(list), 0, id);
      for (const set of SETS) all.zrem(this.#key(set), id);
      all.srem(this.#key('stalled'), id);
      all.del(this.#key(id), this.#key(`${id}:lock`));
      await this.#all(all.exec());
    }
  }

  /** At one moment: a job goes from list to list. */
  async #listed(): Promise<ReadonlySet<string>> {
    const all = this.#link.client.multi();
    for (const list of LISTS) all.lrange(this.#key(list), 0, -1);
    for (const set of SETS) all.zrange(this.#key(set), 0, -1);
    return new Set((await this.#all<readonly string[]>(all.exec())).flat());
  }

  async #all<T>(answers: Promise<[error: Error | null, result: unknown][] | null>): Promise<readonly T[]> {
    return ((await this.#link.ask(answers)) ?? []).map(([error, result]) => {
      if (error !== null) throw this.#link.explained(error);
      return result as T;
    });
  }
}
