import { describe, expect, it } from 'vitest';
import { hiddenPaths, withoutSecrets } from '../../src/domain/index.ts';

describe('secrets', () => {
  it.each([
    ...['password', 'Authorization', 'auth', 'apiKey', 'api_key', 'API-KEY', 'accessToken', 'client_secret'],
    ...['oddsFeedCredentials', 'private-key', 'passphrase', 'tokens', 'apiKeys'],
  ])('are hidden under the key %s at any depth', (name) => {
    expect(withoutSecrets({ a: [{ [name]: 's3cret', b: 'shown' }] })).toEqual({
      a: [{ [name]: '[hidden]', b: 'shown' }],
    });
    expect(withoutSecrets({ [name]: { in: 's3cret' } })).toEqual({ [name]: '[hidden]' });
  });

  it('are not found in values that are not text, nor under keys that only resemble a secret’s', () => {
    const plain = {
      token: null,
      auth: true,
      password: 7,
      keyed: 'a',
      secretary: 'b',
      authors: ['c'],
      key: 'd',
    };
    expect(withoutSecrets(plain)).toEqual(plain);
    const url = 'https://feed.example:8443/a?day=1&broken=x@y#z';
    expect(withoutSecrets({ url })).toEqual({ url });
  });

  it.each([
    ['https://me:s3cret@feed.example/a', 'https://me:[hidden]@feed.example/a'],
    ['see https://me:s3cret@feed.example', 'see https://me:[hidden]@feed.example'],
    ['https://feed.example/?accessToken=s3cret', 'https://feed.example/?accessToken=[hidden]'],
    ['redis://:s3cret@127.0.0.1:6379', 'redis://:[hidden]@127.0.0.1:6379'],
    ['https://feed.example/?day=1&token=s3cret&a=b', 'https://feed.example/?day=1&token=[hidden]&a=b'],
    ['wss://feed.example/x?api_key=s3cret', 'wss://feed.example/x?api_key=[hidden]'],
    ['wss://feed.example/x?odds-token=s3cret#top', 'wss://feed.example/x?odds-token=[hidden]#top'],
  ])('are hidden in %s', (url, shown) => {
    expect(withoutSecrets({ list: [url] })).toEqual({ list: [shown] });
  });

  it('are found by hiddenPaths after they were hidden', () => {
    const value = { apiKey: 'a', plain: 'b', deep: [{ url: 'https://me:s3cret@feed.example' }, 1, null] };
    expect(hiddenPaths(withoutSecrets(value))).toEqual([['apiKey'], ['deep', '0', 'url']]);
    expect(hiddenPaths(value)).toEqual([]);
  });

  it('are searched to a given depth, and deeper values are left out', () => {
    expect(withoutSecrets({ a: { b: { c: 1 } } }, 2)).toEqual({ a: { b: '[deeper]' } });
  });
});
