// The exchange's JSON, one file per endpoint or event: parse wire → domain, encode domain → wire.
export * from './profile.ts';
export * from './json.ts';
export * from './envelope.ts';
export * from './user.ts';
export * from './game.ts';
export { encodeOrderUpdate, gameIdIn, parseOrderUpdate, readLadder, sideHeaderOf, sideIn } from './order-update.ts';
export * from './side-reader.ts';
export * from './position-update.ts';
export * from './place.ts';
export * from './edit.ts';
export * from './cancel.ts';
export * from './lists.ts';
export * from './call.ts';
export * from './decoder.ts';
export * from './answer.ts';
