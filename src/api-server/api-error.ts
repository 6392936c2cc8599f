/** A refusal in the form clients of OpenAI know. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: number;
  readonly type: "invalid_request_error" | "server_error" | "rate_limit_error";
  readonly code: string | null;
  readonly param: string | null;
  readonly retryAfterSeconds: number | undefined;

  constructor(
    status: number,
    message: string,
    {
      code = null,
      param = null,
      retryAfterSeconds,
    }: {
      readonly code?: string | null;
      readonly param?: string | null;
      readonly retryAfterSeconds?: number | undefined;
    } = {},
  ) {
    super(message);
    this.status = status;
    this.type = status === 429 ? "rate_limit_error" : status >= 500 ? "server_error" : "invalid_request_error";
    this.code = code;
    this.param = param;
    this.retryAfterSeconds = retryAfterSeconds;
  }

  get body(): { readonly error: Readonly<Record<string, string | null>> } {
    const { message, type, param, code } = this;
    return { error: { message, type, param, code } };
  }

  response(): Response {
    const { retryAfterSeconds } = this;
    const headers = retryAfterSeconds === undefined ? {} : { "retry-after": String(retryAfterSeconds) };
    return Response.json(this.body, { status: this.status, headers });
  }
}

export function badRequest(
  message: string,
  options: { readonly code?: string; readonly param?: string } = {},
): ApiError {
  return new ApiError(400, message, options);
}
