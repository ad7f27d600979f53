import { afterEach, describe, expect, it } from 'vitest';
import type { Command } from '../../src/domain/index.ts';
import { forgetSecrets, noteSecrets } from '../../src/domain/index.ts';
import { areAsRecorded, recordedCommand } from '../../src/journal/shown-words.ts';

const alert = (message: string): Command => ({
  type: 'alert',
  level: 'warn',
  code: 'STRATEGY_THREW',
  message: 'it threw',
  fields: { strategy: 'main', detail: message },
});
const tick: Command = { type: 'wake', at: 7 };
afterEach(() => forgetSecrets());

describe('the recorded commands of a journal', () => {
  it('show the name of a secret in alerts, and match the replayed alert', () => {
    noteSecrets([{ path: 'strategies.0.params.a', text: 'Warriors', written: '${X}', values: { X: 'Warriors' } }]);
    const commands = [alert('no "Warriors" here'), tick];
    const recorded = commands.map(recordedCommand);
    expect(recorded).toEqual([alert('no "${X}" here'), tick]);
    expect(areAsRecorded(recorded, commands)).toBe(true);
    // without the environment the parameter has its name as value
    expect(areAsRecorded(recorded, recorded)).toBe(true);
    expect(areAsRecorded(recorded, [alert('no "Warriors" there'), tick])).toBe(false);
    expect(areAsRecorded(recorded, [alert('no "Warriors" here')])).toBe(false);
  });

  it('hide secrets in the reasons that strategies give, and keep the sent fields', () => {
    noteSecrets([{ path: 'a', text: 'Warriors', written: '${X}', values: { X: 'Warriors' } }]);
    const order = (id: string, said: string) =>
      ({ type: 'edit', orderId: id, why: { cause: 'price', said, value: 1 } }) as unknown as Command;
    const recorded = [recordedCommand(order('of-Warriors', 'no Warriors'))];
    expect(recorded).toEqual([order('of-Warriors', 'no ${X}')]);
    expect(areAsRecorded(recorded, [order('of-Warriors', 'no Warriors')])).toBe(true);
    expect(areAsRecorded(recorded, [order('of-Celtics', 'no Warriors')])).toBe(false);
    expect(areAsRecorded(recorded, [order('of-Warriors', 'a Warriors')])).toBe(false);
  });

  it('keep numbers as they are, though they contain a secret of digits', () => {
    noteSecrets([{ path: 'a', text: '12345678', written: '${X}', values: { X: '12345678' } }]);
    const stall = (detail: string): Command => ({
      type: 'alert',
      level: 'warn',
      code: 'STALLED',
      message: 'the bot stood still',
      fields: { ms: 123456789, detail },
    });
    const recorded = [recordedCommand(stall('for 12345678'))];
    expect(recorded).toEqual([stall('for ${X}')]);
    expect(areAsRecorded(recorded, [stall('for 12345678')])).toBe(true);
  });

  it('match only commands that differ in the value of a secret', () => {
    const recorded = [alert('${X}.')];
    expect(areAsRecorded(recorded, [alert('anything "quoted".')])).toBe(true);
    expect(areAsRecorded(recorded, [alert('anything,')])).toBe(false);
    const extended = { ...alert('anything.'), fields: { strategy: 'main', detail: 'a', more: 'b.' } } as Command;
    expect(areAsRecorded(recorded, [extended])).toBe(false);
  });
});
