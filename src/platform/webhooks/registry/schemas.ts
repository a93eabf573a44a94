import { z } from 'zod';
import { flag, optional, text } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import { checkHeaders, headersBound } from './headers.ts';

/** Far more than there are events; a longer list is a mistake. */
const MOST_NAMES = 100;
const MOST_PRODUCTS = 500;
const LONGEST_NAME = 100;
const LONGEST_URL = 2048;

const name = () => text({ min: 1, max: LONGEST_NAME, trim: true });
const url = () => text({ min: 1, max: LONGEST_URL });

/** What is wrong with a name in it is judged with the service's catalogue at hand. */
const events = () =>
  z
    .array(text({ min: 1, max: LONGEST_NAME }), { error: 'must be a list of event names' })
    .min(1, { error: 'must name at least one event, or *' })
    .max(MOST_NAMES, { error: `must have at most ${MOST_NAMES} entries` });

const productIds = () =>
  z
    .array(text({ min: 1, max: LONGEST_NAME }), { error: 'must be a list of product ids' })
    .min(1, { error: 'must name at least one product; leave it out for all' })
    .max(MOST_PRODUCTS, { error: `must have at most ${MOST_PRODUCTS} entries` });

const headers = () =>
  z
    .record(z.string(), z.string({ error: 'must be a string' }), { error: 'must be an object of strings' })
    .check(checkHeaders)
    .meta(headersBound);

/** A new webhook (licensing 4.2). Left out: the URL's host as name, the service's default events, all products. */
export const WebhookCreateBody = later(() =>
  z.strictObject({
    name: optional(name()),
    url: url(),
    /** Names, or `*` alone. */
    events: optional(events()),
    /** Ids or slugs; null and absent take all. */
    productIds: optional(productIds()),
    redactEmail: optional(flag()),
    /** Sent with every request beside the documented ones. */
    headers: optional(headers()),
    enabled: optional(flag()),
  }),
);

/** Changes of a webhook: what is absent stays; null lifts the restriction to products, or takes all headers away. */
export const WebhookUpdateBody = later(() =>
  z.strictObject({
    name: name().optional(),
    url: url().optional(),
    events: events().optional(),
    productIds: productIds().nullable().optional(),
    redactEmail: flag().optional(),
    headers: headers().nullable().optional(),
    enabled: flag().optional(),
  }),
);

export type WebhookCreateInput = z.input<typeof WebhookCreateBody>;
export type WebhookUpdateInput = z.input<typeof WebhookUpdateBody>;
export type WebhookChanges = z.output<typeof WebhookUpdateBody>;
