export { configJsonSchema } from './json-schema.ts';
export { readEffective, readProfile } from './effective.ts';
export { withEnvironment } from './named-params.ts';
export type { Gate, GateMark } from './gate.ts';
export { loadGate } from './gate.ts';
export {
  unpackConfig,
  packConfig,
  loadConfig,
  loadOffline,
  loadToRead,
  isUsernameElsewhere,
  loadAlertTargets,
  loadDeadline,
  loadHaltPlace,
  loadExchange,
  loadRunFolder,
  loadRunPlace,
  loadYaml,
  redactedConfig,
  runFolderOf,
} from './load.ts';
export type { TransferredConfig, LoadedConfig, Overrides } from './load.ts';
export type { Config } from './schema.ts';
export { EXCHANGE_LIMITS } from './schema-values.ts';
export { configSchema } from './schema.ts';
export { loadTeams } from './teams.ts';
export { lineOfDuplicateKey } from './duplicate-keys.ts';
export { listOf } from './yaml-list.ts';
