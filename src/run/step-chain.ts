// Finds what led to a step of a journal: the inputs that its commands name as cause, and the newest earlier
// steps about the same markets, orders, requests or permits.
import type { Command, Arrival, NewOrder, Read, Why } from '../domain/index.ts';
import { gameIdIn, parsePositionUpdate } from '../wire/index.ts';
import type { JournalStep } from '../journal/index.ts';
import type { OrderNames } from './order-names.ts';

/** How many causes and steps are kept. */
const CAUSES = 4;
const STEPS = 8;

export class StepChain {
  readonly #subjects: Set<string>;
  readonly #before: number;
  readonly #causes: JournalStep[] = [];
  readonly #steps: JournalStep[] = [];

  /**
   * @param about commands of the step as recorded and as replayed
   * @param names names of all earlier orders
   */
  constructor(step: JournalStep, about: readonly Command[], names: OrderNames) {
    const { seq, in: input } = step.input;
    this.#before = seq;
    this.#subjects = new Set([...subjectsOfInput(input), ...about.flatMap(subjectsOf)]);
    for (const command of about) {
      for (const { market } of ordersIn(command)) this.#subjects.add(`game ${market.gameId}`);
      for (const { ref, orderId } of namesIn(command)) {
        const known = names.find(orderId, ref, seq);
        if (known?.ref !== undefined) this.#subjects.add(`ref ${known.ref}`);
        for (const id of known?.orderIds ?? []) this.#subjects.add(`order ${id}`);
      }
    }
  }

  /** Applies every earlier step, in order. */
  applyStep(step: JournalStep): void {
    const { seq, in: input } = step.input;
    if (seq >= this.#before) return;
    const cause =
      this.#subjects.has(`record ${seq}`) ||
      (input.type === 'permit' && this.#subjects.has(`permit ${input.bucket} ${input.permit}`));
    if (cause) keep(this.#causes, step, CAUSES);
    const related = step.commands.filter((command) => this.#isAbout(subjectsOf(command)));
    // their answers belong to the chain as well
    for (const command of related) if ('req' in command) this.#subjects.add(`request ${command.req}`);
    if (!cause && (related.length > 0 || this.#subjects.size === 0 || this.#isAbout(subjectsOfInput(input))))
      keep(this.#steps, step, STEPS);
  }

  /** Oldest first. */
  get steps(): readonly JournalStep[] {
    return [...this.#causes, ...this.#steps].sort((a, b) => a.input.seq - b.input.seq);
  }

  #isAbout(subjects: readonly string[]): boolean {
    return subjects.some((subject) => this.#subjects.has(subject));
  }
}

function keep(steps: JournalStep[], step: JournalStep, most: number): void {
  steps.push(step);
  if (steps.length > most) steps.shift();
}

function subjectsOfInput(input: Arrival): readonly string[] {
  switch (input.type) {
    case 'frame':
      return subjectsOfFrame(input.event, input.data);
    case 'reply':
    case 'failure':
      return [`request ${input.req}`];
    case 'permit':
      return [`permit ${input.bucket} ${input.permit}`];
    case 'settle':
      return [`game ${input.gameId}`];
    case 'persisted':
      return [`strategy ${input.strategy}`, `game ${input.game}`];
    case 'strategy-strike':
    case 'strategy-fault':
      return [`strategy ${input.strategy}`];
    default:
      return [];
  }
}

function subjectsOfFrame(event: string, data: string): readonly string[] {
  if (event === 'positionUpdate') {
    const position = parsePositionUpdate(data);
    if (!position.ok) return [];
    const { orderId, ref } = position.value;
    return [...(orderId === undefined ? [] : [`order ${orderId}`]), ...(ref === undefined ? [] : [`ref ${ref}`])];
  }
  const gameId = gameIdIn(event, data);
  if (gameId === undefined) return [];
  const type = /"type":"(\w+)"/.exec(data)?.[1];
  return [event === 'orderUpdate' && type !== undefined ? `market ${gameId}/${type}` : `game ${gameId}`];
}

function subjectsOf(command: Command): readonly string[] {
  const subjects = namesIn(command).flatMap(({ orderId, ref }) => [
    ...(orderId === undefined ? [] : [`order ${orderId}`]),
    ...(ref === undefined ? [] : [`ref ${ref}`]),
  ]);
  if ('req' in command) subjects.push(`request ${command.req}`);
  if ('permit' in command) subjects.push(`permit ${command.type === 'cancel' ? 'cancel' : 'place'} ${command.permit}`);
  for (const { market } of ordersIn(command)) subjects.push(`market ${market.gameId}/${market.type}`);
  if (command.type === 'read' && (command.read.what === 'game' || command.read.what === 'reference'))
    subjects.push(`game ${command.read.gameId}`);
  if (command.type === 'alert' && typeof command.fields['strategy'] === 'string')
    subjects.push(`strategy ${command.fields['strategy']}`);
  const reasons = command.type === 'cancel' ? command.orderIds.length : ordersIn(command).length;
  for (let index = 0; index < reasons; index++) {
    const intent = whyIn(command, index)?.intent;
    if (typeof intent === 'number') subjects.push(`record ${intent}`);
  }
  return subjects;
}

const ordersIn = (command: Command): readonly NewOrder[] =>
  command.type === 'place' ? command.orders : command.type === 'edit' ? [command.order] : [];

type Name = Pick<Partial<Extract<Read, { what: 'order' }>>, 'orderId'> &
  Pick<Partial<Extract<Read, { what: 'reference' }>>, 'ref'>;

/** The orders that a command names. */
function namesIn(command: Command): readonly Name[] {
  switch (command.type) {
    case 'place':
      return command.orders.map(({ ref }) => ({ ref }));
    case 'edit':
      return [{ ref: command.order.ref }, { orderId: command.orderId }];
    case 'cancel':
      return command.orderIds.map((orderId) => ({ orderId }));
    case 'read':
      return command.read.what === 'order' || command.read.what === 'reference' ? [command.read] : [];
    case 'alert': {
      const { ref, orderId } = command.fields as Name;
      return [{ ...(orderId === undefined ? {} : { orderId }), ...(ref === undefined ? {} : { ref }) }];
    }
    default:
      return [];
  }
}

/** Why a command was chosen, for one of its orders. Undefined in journals of older versions. */
function whyIn(command: Command, index: number): Why | undefined {
  const { why } = command as { readonly why?: Why | readonly Why[] };
  return Array.isArray(why) ? (why as readonly Why[])[index] : (why as Why | undefined);
}
