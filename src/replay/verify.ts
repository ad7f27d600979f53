// Replays a journal through the core and compares every command, byte for byte. It keeps no steps, so a
// journal of any size is compared in the memory of the core.
import type { Command, RunEvent, StampedArrival } from '../domain/index.ts';
import { stackText } from '../files/index.ts';
import type { Core } from '../engine/index.ts';
import type { Journal, JournalStep } from '../journal/index.ts';
import { areAsRecorded } from '../journal/index.ts';
import type { WireProfile } from '../wire/index.ts';
import { Decoder } from '../wire/index.ts';

export type Difference = {
  readonly seq: number;
  readonly input: StampedArrival;
  readonly recorded: readonly Command[];
  readonly replayed: readonly Command[];
  /** The error with which the core failed at this input. Undefined when it did not. */
  readonly threw: string | undefined;
  /** The events, when the commands are equal but the events are not. */
  readonly events?: { readonly recorded: readonly RunEvent[]; readonly replayed: readonly RunEvent[] };
};

export class Verifier {
  /** The number of records whose commands are equal, and of those commands. */
  records = 0;
  commands = 0;
  /** The first difference. Nothing is compared after it, because the two runs have diverged. */
  difference: Difference | undefined;
  /** The events of the newest step. */
  events: readonly RunEvent[] = [];
  readonly #core: Core;
  readonly #decoder: Decoder;
  readonly #isOwnVersion: boolean;

  /**
   * @param isOwnVersion false when another version wrote the journal. It may raise other events for the same
   *   run, and word its alerts and reasons otherwise, so that neither is compared.
   */
  constructor(core: Core, profile: WireProfile, isOwnVersion = true) {
    this.#core = core;
    this.#isOwnVersion = isOwnVersion;
    this.#decoder = new Decoder(profile);
  }

  applyStep({ input, commands: recorded, events }: JournalStep): void {
    if (this.difference !== undefined) return;
    const { seq } = input;
    let replayed: readonly Command[];
    try {
      const stepped = this.#core.step({ ...input, in: this.#decoder.inputOf(input.in) });
      replayed = stepped.commands;
      this.events = stepped.events;
      this.#decoder.applyCommands(replayed, input.mono);
    } catch (error) {
      const threw = stackText(error);
      this.difference = { seq, input, recorded, replayed: [], threw };
      return;
    }
    if (!this.#areEqual(recorded, replayed)) {
      const commands = JSON.parse(JSON.stringify(replayed)) as readonly Command[];
      this.difference = { seq, input, recorded, replayed: commands, threw: undefined };
      return;
    }
    if (this.#isOwnVersion && events !== undefined && !areAsRecorded(events, this.events)) {
      const now = JSON.parse(JSON.stringify(this.events)) as readonly RunEvent[];
      const both = { recorded: events, replayed: now };
      this.difference = { seq, input, recorded, replayed, threw: undefined, events: both };
      return;
    }
    this.records += 1;
    this.commands += recorded.length;
  }

  #areEqual(recorded: readonly Command[], replayed: readonly Command[]): boolean {
    return (
      areAsRecorded(recorded, replayed) || (!this.#isOwnVersion && withoutTexts(recorded) === withoutTexts(replayed))
    );
  }
}

/**
 * Fields of commands that are for people alone: alerts, reasons, and the words of strategies or their host.
 */
const TEXTS: ReadonlySet<string> = new Set(['message', 'fields', 'reason', 'because', 'said']);

const withoutTexts = (commands: readonly Command[]): string =>
  JSON.stringify(commands, (key, value: unknown) => (TEXTS.has(key) ? undefined : value));

/** Compares a whole journal. Returns the first step that differs, or undefined. */
export function verifyJournal(core: Core, profile: WireProfile, journal: Journal): Difference | undefined {
  const verifier = new Verifier(core, profile);
  for (const step of journal.steps) verifier.applyStep(step);
  return verifier.difference;
}
