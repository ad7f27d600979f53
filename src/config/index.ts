export { readEffective } from './effective.ts';
export {
  handedOver,
  listOf,
  loadConfig,
  loadOffline,
  loadDeadline,
  loadExchange,
  loadRunPlace,
  loadYaml,
  redacted,
  runFolderOf,
} from './load.ts';
export type { ConfigPath, LoadedConfig, Overrides, RunPlace } from './load.ts';
export type { Config } from './schema.ts';
export { configSchema } from './schema.ts';
export { keyToldTwice } from './told-twice.ts';
