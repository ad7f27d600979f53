/** A refusal over HTTP: `{error: {code, message}}`. */
export class ApiError extends Error {
  readonly statusCode: number;
  readonly code: string;

  constructor(statusCode: number, code: string, message: string) {
    super(message);
    this.statusCode = statusCode;
    this.code = code;
  }
}

export const bad = (message: string): ApiError => new ApiError(400, 'BAD_REQUEST', message);
export const tooMany = (what: string): ApiError => new ApiError(429, 'TOO_MANY', `at most ${what} a second`);
