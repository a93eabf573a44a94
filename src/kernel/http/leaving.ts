import type { IncomingMessage, ServerResponse } from 'node:http';

/** A body that may still be on its way when it is answered: its client would meet a reset in place of the answer. */
const LONG_BODY_BYTES = 16_384;

/** Which clients are asked with their next answer to open another connection: another process has time for them, or it ends. */
export class Leaving {
  #share = 0;
  #due = 0;
  /** Connections that were looked at, whether they were asked or not. */
  #seen = new WeakSet<object>();
  /** Connections, each with the answer that ends it. */
  readonly #ends = new WeakMap<object, ServerResponse>();

  /** @param share of the connections on which something is asked from now on, 0 to 1 */
  begin(share: number): void {
    this.#share = share;
    this.#due = 0;
    this.#seen = new WeakSet();
  }

  /** Whether the answer to a request asks its client to leave. A connection is looked at once, however busy it is. */
  asks({ socket, headers }: IncomingMessage, { shouldKeepAlive }: ServerResponse): boolean {
    if (this.#share === 0 || !shouldKeepAlive || this.#seen.has(socket)) return false;
    const isLong = Number(headers['content-length'] ?? 0) > LONG_BODY_BYTES;
    if (isLong || headers['transfer-encoding'] !== undefined) return false;
    this.#seen.add(socket);
    this.#due += this.#share;
    if (this.#due < 1) return false;
    this.#due -= 1;
    return true;
  }

  /** The answer to a request ends its connection. */
  end({ socket }: IncomingMessage, res: ServerResponse): void {
    this.#ends.set(socket, res);
  }

  /**
   * Whether a request came behind one whose answer ends the connection. It must not be done (RFC 9112 section 9.6): its answer
   * would reach nobody, and its client sends it again.
   */
  isTooLate({ socket }: IncomingMessage): boolean {
    const last = this.#ends.get(socket);
    // An answer that did not end it after all must not leave its client without the next one.
    return last !== undefined && (!last.writableFinished || socket.writableEnded);
  }
}
