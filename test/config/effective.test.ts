import { describe, expect, it } from 'vitest';
import { readEffective, redactedConfig } from '../../src/config/index.ts';
import { configFolder, LEAST } from './fixtures.ts';

const { load } = configFolder();

/** A configuration as the header of a journal holds it. */
const recorded = (risk: string): { readonly risk: Readonly<Record<string, unknown>> } =>
  JSON.parse(JSON.stringify(redactedConfig(load(`${LEAST}risk: ${risk}\n`).config))) as never;

describe('a configuration that a journal recorded', () => {
  it('quotes every part of a game when its version did not know parts', () => {
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

  it.each(['hold', 'own', 'off'])('is read back unchanged with bandWithout %s', (bandWithout) => {
    const read = readEffective(recorded(`{ bandWithout: ${bandWithout}, bandAge: 90s }`));
    expect(read).toMatchObject({ ok: true, value: { risk: { bandWithout, bandAge: 90_000 } } });
  });

  it('has no band without a consensus when its version did not know bandWithout', () => {
    const { risk, ...others } = recorded('{ priceBand: 0.1 }');
    const { bandWithout, bandAge, ...known } = risk;
    expect({ bandWithout, bandAge }).toEqual({ bandWithout: 'hold', bandAge: 300_000 });
    for (const former of [{ ...others, risk: known }, others])
      expect(readEffective(former)).toMatchObject({ ok: true, value: { risk: { bandWithout: 'off' } } });
  });
});
