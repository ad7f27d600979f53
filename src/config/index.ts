export { loadConfig, loadExchange, loadYaml, redacted } from './load.ts';
export type { ConfigPath, LoadedConfig, Overrides } from './load.ts';
export type { Config } from './schema.ts';
export { configSchema } from './schema.ts';
