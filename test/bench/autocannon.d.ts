// The part of autocannon that load.ts uses; the package has no types of its own.
declare module 'autocannon' {
  import type { EventEmitter } from 'node:events';

  interface Request {
    method: string;
    path: string;
    headers: Record<string, string>;
    body?: string;
    /** Called before each sending; its result is what is sent. */
    setupRequest?(request: Request): Request;
  }

  interface Client {
    /** Requests sent so far. */
    reqsMade: number;
    /** After so many requests the client ends itself, as soon as the last one is answered. */
    responseMax: number;
    setRequests(requests: Request[]): void;
  }

  interface Options {
    url: string;
    connections: number;
    pipelining: number;
    /** Seconds. */
    duration: number;
    /** Seconds without an answer. */
    timeout: number;
    /** Milliseconds between two looks at whether it is over. */
    sampleInt: number;
    setupClient(client: Client): void;
    verifyBody(body: string): boolean;
  }

  interface Result {
    errors: number;
    timeouts: number;
    mismatches: number;
    non2xx: number;
  }

  interface Run extends EventEmitter, PromiseLike<Result> {
    on(
      event: 'response',
      listener: (client: Client, status: number, bytes: number, milliseconds: number) => void,
    ): this;
  }

  export default function autocannon(options: Options): Run;
}
