import { storeScreen, type Tone } from '../admin/index.ts';
import type { EmailStatus } from './record.ts';
import { EmailView } from './view.ts';

const TONES: Readonly<Record<EmailStatus, Tone>> = {
  queued: 'info',
  sending: 'info',
  sent: 'ok',
  failed: 'bad',
  suppressed: 'muted',
};

const status = { tone: ({ status }: { status: EmailStatus }) => TONES[status] };

/** Emails in the panel. */
export const emailScreen = storeScreen(EmailView, {
  path: '/store/settings/email-log',
  words: 'mail sent failed smtp',
  area: 'store',
  order: 905,
  nav: 'Emails',
  live: 'ask',
  title: ({ subject }) => subject,
  columns: {
    createdAt: { label: 'Written', kind: 'date', sort: 'created' },
    to: {},
    subject: {},
    status,
    attempts: { kind: 'number', hidden: true },
    error: { label: 'Last error' },
    template: { kind: 'code', hidden: true },
  },
  facts: {
    status,
    to: {},
    toName: { label: 'Name' },
    subject: {},
    template: { kind: 'code' },
    locale: { label: 'Language', kind: 'code' },
    attempts: { kind: 'number' },
    error: { label: 'Last error' },
    nextAttemptAt: { label: 'Next attempt', kind: 'date' },
    sentAt: { label: 'Sent', kind: 'date' },
    createdAt: { label: 'Written', kind: 'date' },
    relatedType: { label: 'About' },
    relatedId: { label: 'ID of its subject' },
    messageId: { label: 'Message-ID' },
    id: {},
  },
  labels: { from: 'Created since', until: 'Created before' },
  views: [
    { name: 'Waiting', query: 'status=queued' },
    { name: 'Failed', query: 'status=failed' },
  ],
  empty: {
    text: 'No emails yet. Send a test under Settings > Email.',
    docs: 'send-mail',
    cli: 'appctl email test --to ann@example.com',
  },
});
