// Replays a journal through the core and compares every command, byte for byte. Steps may be forgotten at once, so a
// journal of any size is compared in the memory of the core.
import type { Command, RunEvent, StampedArrival } from '../domain/index.ts';
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
  /** The core itself failed at this input. */
  readonly threw: string | undefined;
  /** The commands are the same, and what happened is not. */
  readonly events?: { readonly recorded: readonly RunEvent[]; readonly replayed: readonly RunEvent[] };
};

export class Verifier {
  /** Records whose commands are the same, and how many commands those are. */
  records = 0;
  commands = 0;
  /** The first one. From there on the two are different lives, and nothing more is compared. */
  difference: Difference | undefined;
  /** What happened in the newest step. */
  events: readonly RunEvent[] = [];
  readonly #core: Core;
  readonly #decoder: Decoder;
  readonly #comparesEvents: boolean;

  /** `comparesEvents`: another version may say more of the same run. */
  constructor(core: Core, profile: WireProfile, comparesEvents = true) {
    this.#core = core;
    this.#comparesEvents = comparesEvents;
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
      const threw = error instanceof Error ? (error.stack ?? error.message) : String(error);
      this.difference = { seq, input, recorded, replayed: [], threw };
      return;
    }
    if (!areAsRecorded(recorded, replayed)) {
      const commands = JSON.parse(JSON.stringify(replayed)) as readonly Command[];
      this.difference = { seq, input, recorded, replayed: commands, threw: undefined };
      return;
    }
    if (this.#comparesEvents && events !== undefined && !areAsRecorded(events, this.events)) {
      const now = JSON.parse(JSON.stringify(this.events)) as readonly RunEvent[];
      const both = { recorded: events, replayed: now };
      this.difference = { seq, input, recorded, replayed, threw: undefined, events: both };
      return;
    }
    this.records += 1;
    this.commands += recorded.length;
  }
}

/** The first step whose commands differ, or undefined when all are the same. */
export function verifyJournal(core: Core, profile: WireProfile, journal: Journal): Difference | undefined {
  const verifier = new Verifier(core, profile);
  for (const step of journal.steps) verifier.applyStep(step);
  return verifier.difference;
}
