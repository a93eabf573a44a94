// A reader of server-sent events: what a browser's EventSource does, with the headers of the test.

import { once } from 'node:events';
import { type IncomingHttpHeaders, request as openRequest } from 'node:http';

export interface StreamedEvent {
  /** What Last-Event-ID gives back. */
  readonly place: string;
  readonly event: {
    readonly id: string;
    readonly type: string;
    readonly subject: string;
    readonly at: string;
  };
}

export interface EventStream {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The next event; null when the stream ended before. */
  next(): Promise<StreamedEvent | null>;
  /** The next comment; null when the stream ended before. */
  comment(): Promise<string | null>;
  /** Everything after this; whether the server ended it in order. */
  end(): Promise<boolean>;
  close(): void;
}

/** Opens a stream. @param url whole, with its query */
export async function openEventStream(
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<EventStream> {
  const request = openRequest(url, { headers });
  request.end();
  const [response] = await once(request, 'response');
  request.on('error', () => undefined);
  response.setEncoding('utf8');
  const parts = messages(response);
  const nextOf = async (isWanted: (message: string) => boolean): Promise<string | null> => {
    for (;;) {
      const { value, done } = await parts.next();
      if (done) return null;
      if (isWanted(value)) return value;
    }
  };
  return {
    status: response.statusCode,
    headers: response.headers,
    async next() {
      const message = await nextOf((text) => text.startsWith('id: '));
      if (message === null) return null;
      const [, place = '', data = ''] = /^id: (.*)\ndata: (.*)$/.exec(message) ?? [];
      return { place, event: JSON.parse(data) };
    },
    comment: () => nextOf((text) => text.startsWith(':')),
    async end() {
      while (!(await parts.next()).done);
      return response.complete;
    },
    close: () => request.destroy(),
  };
}

async function* messages(response: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = '';
  try {
    for await (const text of response) {
      const whole = (rest + text).split('\n\n');
      rest = whole.pop() ?? '';
      yield* whole;
    }
  } catch {
    // The connection broke: `complete` says so.
  }
}
