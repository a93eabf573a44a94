import { z } from 'zod';
import { flag, integer, oneOf, optional, text, timestamp } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import { WebhookCreateBody, WebhookUpdateBody } from '#platform/webhooks/index.ts';

const { url, headers } = WebhookCreateBody.shape;
const { url: newUrl, headers: newHeaders } = WebhookUpdateBody.shape;
const eventName = () => text({ min: 1, max: 100 });

const events = () =>
  z
    .array(eventName(), {
      error: ({ input }) => (input === undefined ? 'is required' : 'must be a list of event names'),
    })
    .min(1, { error: 'must name at least one event, or *' })
    .max(100, { error: 'must have at most 100 entries' });

const description = () => text({ min: 1, max: 100, trim: true });

/** An own secret, for a receiver that has one already; what is wrong with it is judged by the use case. */
const ownSecret = () =>
  optional(z.string({ error: 'must be a string' }).meta({ minLength: 16, maxLength: 255 }));

/** A new webhook (storefront-api.md, AM): without a description it is called as the host of its URL. */
export const Create = later(() =>
  z.strictObject({
    url,
    events: events(),
    description: optional(description()),
    active: optional(flag()),
    headers,
    secret: ownSecret(),
  }),
);

/** What is absent stays; null takes all headers away. */
export const Update = later(() =>
  z.strictObject({
    url: newUrl,
    events: events().optional(),
    description: description().optional(),
    active: flag().optional(),
    headers: newHeaders,
  }),
);

/** Why it is switched off, for lists and the audit log. */
export const Switching = z.strictObject({ reason: optional(text({ max: 500 })) });

export const Rotation = later(() => z.strictObject({ secret: ownSecret() }));

/** What a test sends: `webhook.test`, or another event, with values in place of those of its example. */
export const Test = later(() =>
  z.strictObject({
    event: optional(eventName()),
    overrides: optional(
      z.array(z.strictObject({ path: text({ min: 1, max: 200 }), value: z.unknown() })).max(50),
    ),
    note: optional(text({ max: 500 })),
  }),
);

/** Which deliveries of a webhook are sent again: those that ended, of a time range. */
export const Replay = later(() =>
  z.strictObject({
    from: timestamp(),
    to: optional(timestamp()),
    limit: optional(integer(1, 100_000)),
    events: optional(events()),
    statuses: optional(
      z
        .array(oneOf(['delivered', 'failed', 'skipped']))
        .min(1)
        .max(3),
    ),
  }),
);
