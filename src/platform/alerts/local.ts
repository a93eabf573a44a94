import { z } from 'zod';
import type { LocalPart } from '#kernel/capability.ts';
import { email } from '#kernel/http/fields.ts';
import { maybe, type Setting, setting } from '#kernel/settings.ts';

const group = 'alerts';
const MOST_ADDRESSES = 20;
const WRONG_URL = 'must be an http: or https: address';

/** As operators write them: with commas between them. */
const splitAddresses = (value: unknown): unknown =>
  typeof value === 'string'
    ? value
        .split(',')
        .map((one) => one.trim())
        .filter(Boolean)
    : value;

export const alertsEmail = setting({
  key: 'alerts.email',
  group,
  description:
    'Addresses that get an email when an alert begins and when it is over; by default staff who may change the system, such as owners',
  schema: () =>
    z.preprocess(
      splitAddresses,
      z.array(email(254)).max(MOST_ADDRESSES, `must have at most ${MOST_ADDRESSES} addresses`),
    ),
  default: [] as string[],
});

const isUrl = (text: string | null): boolean =>
  text === null || (/^https?:\/\//.test(text) && URL.canParse(text));

export const alertsWebhook = setting<string | null>({
  key: 'alerts.webhook',
  group,
  description: 'Address that gets a signed POST when an alert begins and when it is over',
  schema: () => maybe(2000).refine(isUrl, WRONG_URL),
  default: null,
});

export const alertsWebhookSecret = setting<string | null>({
  key: 'alerts.webhook_secret',
  group,
  description:
    'Secret that signs posts to alerts.webhook, 16 to 255 characters; nothing is posted without one',
  schema: () =>
    z
      .string()
      .regex(/^[\x21-\x7e]{16,255}$/, 'must have 16 to 255 printable characters without spaces')
      .nullable(),
  default: null,
  secret: true,
});

export const alertsPing = setting<string | null>({
  key: 'alerts.ping',
  group,
  description:
    'Address that is asked every minute while all is well, and with /fail at its end while an alert is open, as healthchecks.io expects',
  schema: () => maybe(2000).refine(isUrl, WRONG_URL),
  default: null,
});

export const alertsLocal = {
  name: 'alerts',
  settings: [
    alertsEmail,
    alertsWebhook,
    alertsWebhookSecret,
    alertsPing,
  ] as readonly unknown[] as readonly Setting[],
} satisfies LocalPart;
