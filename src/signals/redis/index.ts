// Signals from a Redis stream; whoever follows none does not load its client.
export { RedisStream } from './redis-stream.ts';
