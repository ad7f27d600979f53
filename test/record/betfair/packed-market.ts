// `MARKET` of made-stream.ts as bzip2 packs it, since nothing here packs bzip2; a test holds the two equal.
export const MARKET_BZ2: Buffer = Buffer.from(
  [
    'QlpoOTFBWSZTWa8LsacAA1BfgDAQUAd/0H9n35q/79/qQAJuOGZioIqUTaeoJ6CYIyaAYmAI2hAZBzAJpgEyGAAJgmAAACKRNNBT',
    'CABMQHlGAANTIHqCJRTKGhoAAAGQANGQaNBEP4fltPsD5u8fEwWGi5Wm7W09xjgQqMRkZzEOBExDhG6wbgUQhEIRnwNUyD+lErlq',
    'YvksoU9gM1ljkdAV4hD+YMAIoUGIUGKNpr6pPY5ESRDh2Eog2FhrUhS2+aYIg+IaGbe3DUIiCQpAwmVgK20ppJulq1aU0sVZMmxY',
    'nU/GzPQ5xwSB9XYHCtB8mbIuYG0J1bbMr0DRmQFGhUZ5BnsDjnhil7MqwSG5zjdmGTNBat7JVOhgPBgZMGuw0BfcXuPqPo7wyTEM',
    '9UdrwlCL4PRWXpIzSPFoJwKg1zIyBSLA8WgXm2yhRH6YNVlCHW+S8qhgCq4BpGEfhybLrIYkLo6CHgxo1HKhQaDH7HSGCXMrmtoO',
    'JjH1fzDKu840KusdSGpzIWPB9WTiOoaAGhh3Xdd9h3A/g3sgoMIWPO9LgOsdeMxhE4mYPEyZoQ4s2Q8DsoQ/Rm9jUZBthg6xvHNl',
    'QqhUa6QWBeQ0WgXC1jV1GELyGo1qXxtR3xsdobQkMnOhi4ORk4X75VuaIWWhemRvEtQ6RqNQzGxsdtC631MMj/DgXrL3SVJDqlcZ',
    'R/xdyRThQkK8Lsac',
  ].join(''),
  'base64',
);
