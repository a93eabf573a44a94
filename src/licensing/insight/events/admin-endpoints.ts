import { z } from 'zod';
import { endpoint } from '#kernel/http/endpoint.ts';
import { type Checked, report } from '#kernel/http/fields.ts';
import { liveTail } from '#kernel/http/live-slots.ts';
import { later } from '#kernel/sharing.ts';
import { readPlace } from './place.ts';
import { eventRows } from './queries.ts';

import { type StreamAsked, streamEvents } from './stream.ts';

const filters = Object.fromEntries(
  Object.entries(eventRows.parameters).map(([name, schema]) => [name, z.optional(schema)]),
);

const LastEventId = later(() =>
  z.object({
    'last-event-id': z
      .string()
      .check((checked: Checked<string>) => {
        if (readPlace(checked.value) === null)
          report(checked, 'invalid_format', 'must be the id of an event that a stream has sent');
      })
      .optional()
      .meta({ maxLength: 400 })
      .describe('`id` of the last event received; the stream continues after it'),
  }),
);

/** The live tail of the timeline (licensing 4.2, Logs; admin.md 7). */
export const eventStreamEndpoints = [
  endpoint({
    method: 'get',
    path: '/api/v1/admin/events/stream',
    summary: 'Follow events as they happen, as server-sent events',
    description:
      'Each event is sent within a second, as `data` with the same object as in the list, and with an `id` for ' +
      'Last-Event-ID. Without `from` it starts now. A comment is sent every 15 seconds. The stream ends when the server stops, when its ' +
      'reader is too slow, and within five seconds after the caller loses access. Reconnect ' +
      'with Last-Event-ID and nothing is missed. One person or token can have five streams open.',
    scope: 'licensing:read',
    limit: null,
    query: z.strictObject(filters),
    headers: LastEventId,
    live: true,
    content: { type: 'text/event-stream', headers: { 'X-Accel-Buffering': '`no`' } },
    replies: {},
    errors: ['VALIDATION_ERROR', 'RATE_LIMITED'],
    async handle(ctx, { query, headers, live }) {
      if (!live) throw new Error('events are streamed by a server');
      const place = readPlace(headers['last-event-id'] ?? '');
      const asked: StreamAsked = { filters: query, place };
      return liveTail(ctx, () => streamEvents(ctx, live, asked));
    },
  }),
];
