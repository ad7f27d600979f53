// Addresses that only this machine can reach.
const LOOPBACK = /^(localhost|::1|127(\.\d{1,3}){3})$/;

export const isLoopback = (host: string): boolean => LOOPBACK.test(host);
