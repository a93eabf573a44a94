import { z } from 'zod';
import type { LocalPart } from '#kernel/capability.ts';
import type { Ctx } from '#kernel/context.ts';
import { AppError } from '#kernel/errors.ts';
import { email } from '#kernel/http/fields.ts';
import { maybe, type Setting, setting } from '#kernel/settings.ts';

export { openPostOffice } from './post-office.ts';

const group = 'email';

/**
 * Every mail goes through the server, also those with links to new passwords: a key that may change settings must not
 * become whoever reads them.
 */
async function byNoKey({ actor }: Ctx): Promise<void> {
  if (actor.kind !== 'api_key') return;
  throw new AppError(
    'AUTH_FORBIDDEN',
    403,
    'The mail server cannot be changed with an API key: use the panel, an admin token, or appctl settings set',
  );
}

export const smtpHost = setting<string | null>({
  key: 'smtp_host',
  group,
  description: 'Mail server that sends email, such as smtp.example.com; without one, emails wait',
  schema: maybe(255).refine(
    (host) => host === null || /^[A-Za-z0-9]([A-Za-z0-9.:-]{0,253}[A-Za-z0-9])?$/.test(host),
    'must be a host name or an address, such as smtp.example.com',
  ),
  default: null,
  check: byNoKey,
});

export const smtpPort = setting({
  key: 'smtp_port',
  group,
  description: 'Port of the mail server: 587 for starttls, 465 for tls',
  schema: z.int('must be a whole number').min(1).max(65_535),
  default: 587,
  check: byNoKey,
});

export const smtpUser = setting<string | null>({
  key: 'smtp_user',
  group,
  description: 'User name for the mail server, if it needs one',
  schema: maybe(255),
  default: null,
  check: byNoKey,
});

export const smtpPassword = setting<string | null>({
  key: 'smtp_password',
  group,
  description: 'Password for the mail server',
  schema: z.string().max(1000).nullable(),
  default: null,
  check: byNoKey,
  secret: true,
});

export const smtpSecure = setting<'none' | 'starttls' | 'tls'>({
  key: 'smtp_secure',
  group,
  description:
    'Encryption of the connection. starttls: upgrades the connection and never sends unencrypted. tls: encrypted from the start. none: unencrypted, for a server on this machine',
  schema: z.enum(['none', 'starttls', 'tls']),
  default: 'starttls',
  check: byNoKey,
});

export const fromName = setting<string | null>({
  key: 'email_from_name',
  group,
  description: 'Sender name of emails; by default the name of the shop',
  schema: maybe(100),
  default: null,
});

const address = (key: string, description: string): Setting<string | null> =>
  setting<string | null>({
    key,
    group,
    description,
    schema: maybe(254).refine(
      (text) => text === null || (/^[\x21-\x7e]+$/.test(text) && email(254).safeParse(text).success),
      'must be an email address, such as shop@example.com',
    ),
    default: null,
  });

export const fromAddress = address(
  'email_from_address',
  'Sender address of emails; by default the email address of the shop',
);
export const replyTo = address('email_reply_to', 'Reply-to address, if it differs');

const MOST_STAFF_ADDRESSES = 20;

/** As operators write them: with commas between them. */
const splitAddresses = (value: unknown): unknown =>
  typeof value === 'string'
    ? value
        .split(',')
        .map((one) => one.trim())
        .filter(Boolean)
    : value;

export const staffAddresses = setting({
  key: 'email_staff_addresses',
  group,
  description:
    'Addresses that get every staff email in addition to staff themselves, such as a shared mailbox; a list of addresses',
  schema: z.preprocess(
    splitAddresses,
    z.array(email(254)).max(MOST_STAFF_ADDRESSES, `must have at most ${MOST_STAFF_ADDRESSES} addresses`),
  ),
  default: [] as string[],
});

export const emailLogDays = setting({
  key: 'email_log_days',
  group,
  description: 'Days to list emails after they were sent or failed',
  schema: z.int('must be a whole number').min(1).max(3650),
  default: 90,
});

// Who gets alerts stands here, because each file more is one more that every short command loads.

export const alertsEmail = setting({
  key: 'alerts.email',
  group: 'alerts',
  description:
    'Addresses that get an email when an alert begins and when it is over; by default staff who may change the system, such as owners',
  schema: () =>
    z.preprocess(
      splitAddresses,
      z.array(email(254)).max(MOST_STAFF_ADDRESSES, `must have at most ${MOST_STAFF_ADDRESSES} addresses`),
    ),
  default: [] as string[],
});

const WRONG_URL = 'must be an http: or https: address';
const isUrl = (text: string | null): boolean =>
  text === null || (/^https?:\/\/\P{Cc}+$/u.test(text) && URL.canParse(text));

export const alertsWebhook = setting<string | null>({
  key: 'alerts.webhook',
  group: 'alerts',
  description: 'Address that gets a signed POST when an alert begins and when it is over',
  schema: () => maybe(2000).refine(isUrl, WRONG_URL),
  default: null,
});

export const alertsWebhookSecret = setting<string | null>({
  key: 'alerts.webhook_secret',
  group: 'alerts',
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
  group: 'alerts',
  description:
    'Address that is asked every minute while all is well, and with /fail at its end while an alert is open, as healthchecks.io expects',
  schema: () => maybe(2000).refine(isUrl, WRONG_URL),
  default: null,
});

/** Everything that decides whether and how mails are sent (storefront-domain 13). */
export const mailSettings = [
  smtpHost,
  smtpPort,
  smtpUser,
  smtpPassword,
  smtpSecure,
  fromName,
  fromAddress,
  replyTo,
  staffAddresses,
  emailLogDays,
] as readonly unknown[] as readonly Setting[];

const alertSettings = [
  alertsEmail,
  alertsWebhook,
  alertsWebhookSecret,
  alertsPing,
] as readonly unknown[] as readonly Setting[];

export const mailLocal = { name: 'mail', settings: [...mailSettings, ...alertSettings] } satisfies LocalPart;
