// Repairs a BullMQ queue in Redis that lost a part: jobs that are in no list, or lists that name jobs that do
// not exist. A Redis that restarts without its data, or a manual change, leaves it so.
import { OddsmakerError } from '../../domain/index.ts';
import type { RedisLink } from './redis-link.ts';

const LISTS = ['wait', 'active', 'paused'] as const;
const SETS = ['completed', 'failed', 'delayed', 'prioritized'] as const;
const BATCH = 1000;

export class QueueKeys {
  readonly #link: RedisLink;
  /** Prefix of every key of the queue. */
  readonly #prefix: string;

  /** `prefix`: prefix and name of the queue. */
  constructor(link: RedisLink, prefix: string) {
    this.#link = link;
    this.#prefix = prefix;
  }

  #key(name: string): string {
    return `${this.#prefix}:${name}`;
  }

  /** The given jobs that no worker will ever take or finish. @throws OddsmakerError QUEUE_* */
  async lost(ids: Iterable<string>): Promise<readonly string[]> {
    const listed = await this.#listed();
    const lost: string[] = [];
    const wanted = [...ids];
    for (let start = 0; start < wanted.length; start += BATCH) {
      const batch = wanted.slice(start, start + BATCH);
      const pipeline = this.#link.client.pipeline();
      for (const id of batch) pipeline.type(this.#key(id));
      const types = await this.#all<string>(pipeline.exec());
      lost.push(...batch.filter((id, index) => !listed.has(id) || types[index] !== 'hash'));
    }
    return lost;
  }

  /**
   * The given jobs that cannot be read. `read`: reads one job. @throws OddsmakerError QUEUE_UNREACHABLE and
   * the like
   */
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

  /** Jobs that workers run now. @throws OddsmakerError QUEUE_* */
  async active(): Promise<readonly string[]> {
    return this.#link.ask(this.#link.client.lrange(this.#key('active'), 0, -1));
  }

  /** Deletes everything about these jobs, whatever its type. @throws OddsmakerError QUEUE_* */
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

  /** Jobs that are in some list, all lists read in one transaction because jobs move between them. */
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
