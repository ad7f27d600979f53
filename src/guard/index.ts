// Acts on an account from outside its bot: own login, cancelling all orders, halting a running bot.
export { AccountDoor } from './account-door.ts';
export type { HaltedBot } from './halt-bot.ts';
export { haltBot } from './halt-bot.ts';
export type { Message, SignalMessage } from './running-bot.ts';
export { ask, filesOf, reloadText } from './running-bot.ts';
