// Writes configuration files in a folder of their own, and returns what the loader reports.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import type { LoadedConfig, Overrides } from '../../src/config/index.ts';
import { loadConfig } from '../../src/config/index.ts';
import { OddsmakerError } from '../../src/domain/index.ts';

export type Environment = Readonly<Record<string, string>>;

/** The smallest valid configuration. */
export const LEAST = 'exchange: { embedded: {} }\nstrategies: [{ use: ./own.ts, id: main }]\n';

export function configFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'oddsmaker-config-'));
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  const write = (yaml: string): string => {
    const file = join(folder, 'bot.yaml');
    writeFileSync(file, yaml);
    return file;
  };
  const load = (yaml: string, env: Environment = {}, overrides: Overrides = []): LoadedConfig =>
    loadConfig(write(yaml), env, overrides);
  /** The lines of an error without the file name: `line:column: key: problem`. */
  const refusal = (run: () => unknown): string[] => {
    try {
      run();
    } catch (error) {
      if (!(error instanceof OddsmakerError)) throw error;
      if (error.code !== 'CONFIG_INVALID' || error.exit !== 78) throw error;
      return error.message.split('\n').map((line) => line.replace(`${join(folder, 'bot.yaml')}:`, ''));
    }
    throw new Error('the configuration is good');
  };
  return {
    folder,
    write,
    load,
    refusal,
    refused: (yaml: string, env: Environment = {}, overrides: Overrides = []) =>
      refusal(() => load(yaml, env, overrides)),
  };
}
