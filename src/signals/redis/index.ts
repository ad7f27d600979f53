// Signals from a Redis stream. This is a module of its own, so that a bot without one does not load the Redis
// client.
export { RedisStream } from './redis-stream.ts';
