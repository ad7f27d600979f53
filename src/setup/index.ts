// From a configuration to the settings of every room: accounts, sessions, alerts, strategy files found, typed and checked.
export { accountOf, hostOf } from './account-of.ts';
export { Alerting, alertTargetsOf } from './alerting.ts';
export { THROWN, blamed, isOfStrategy, takesStrategyOff } from './blame.ts';
export { configHash } from './config-hash.ts';
export type { LoadedCore } from './core-settings.ts';
export { backtestSettings, expirationMinutesOf, loadCoreSettings, settingsOf } from './core-settings.ts';
export { entriesOf } from './env-entries.ts';
export type { FormerLives } from './former-lives.ts';
export { NO_FORMER_LIFE, formerLives, ruleOf } from './former-lives.ts';
export { journalHeader } from './journal-header.ts';
export type { ConfigChange } from './live-config.ts';
export { haveSameIds, livePartOf } from './live-config.ts';
export { missingForRun } from './missing-for-run.ts';
export { misspeltLeagues } from './misspelt-leagues.ts';
export { ROOT, packInto } from './own-package.ts';
export { refuseImpure } from './purity.ts';
export type { UnpackedStrategies } from './recorded-strategies.ts';
export {
  changeOf,
  hashAt,
  recordedStrategy,
  unpackStrategies,
  wholeStrategies,
} from './recorded-strategies.ts';
export { DRY_FOLDER, configPathOf, makeRunFolder, runFilesOf } from './run-folder.ts';
export type { Credentials } from './sessions.ts';
export { begun, sessionFor, sessionSettings } from './sessions.ts';
export type { Fault } from './strategy-faults.ts';
export { StrategyFaults, faultOf, placeIn } from './strategy-faults.ts';
export type { Typed } from './type-check.ts';
export { TypeChecker } from './type-check.ts';
export { TypeChecks } from './type-checks.ts';
export { tooSmall, unwiseIn } from './unwise.ts';
export { MANIFEST, VERSION, buildVersion, sweepVersion } from './version.ts';
