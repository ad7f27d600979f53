import { describe, expect, it } from 'vitest';
import { readEffective, redactedConfig } from '../../src/config/index.ts';
import { configFolder, LEAST } from './fixtures.ts';

const { load } = configFolder();

/** As the header of a journal has it. */
const recorded = (risk: string): { readonly risk: Readonly<Record<string, unknown>> } =>
  JSON.parse(JSON.stringify(redactedConfig(load(`${LEAST}risk: ${risk}\n`).config))) as never;

describe('a configuration that a journal recorded', () => {
  it('quoted whatever part of a game the feed announced where its version did not know of parts', () => {
    const { markets, ...others } = recorded('{ priceBand: 0.1 }') as ReturnType<typeof recorded> & {
      readonly markets: Readonly<Record<string, unknown>>;
    };
    const { periods, ...known } = markets;
    expect(periods).toEqual(['full']);
    expect(readEffective({ ...others, markets })).toMatchObject({
      value: { markets: { periods: ['full'], props: false, futures: false } },
    });
    const former = { value: { markets: { periods: null, futures: false } } };
    expect(readEffective({ ...others, markets: known })).toMatchObject(former);
    expect(readEffective(others)).toMatchObject(former);
  });

  it.each(['hold', 'own', 'off'])('is read back as it was: bandWithout %s', (bandWithout) => {
    const read = readEffective(recorded(`{ bandWithout: ${bandWithout}, bandAge: 90s }`));
    expect(read).toMatchObject({ ok: true, value: { risk: { bandWithout, bandAge: 90_000 } } });
  });

  it('had no band without a consensus where its version did not know of one', () => {
    const { risk, ...others } = recorded('{ priceBand: 0.1 }');
    const { bandWithout, bandAge, ...known } = risk;
    expect({ bandWithout, bandAge }).toEqual({ bandWithout: 'hold', bandAge: 300_000 });
    for (const former of [{ ...others, risk: known }, others])
      expect(readEffective(former)).toMatchObject({ ok: true, value: { risk: { bandWithout: 'off' } } });
  });
});
