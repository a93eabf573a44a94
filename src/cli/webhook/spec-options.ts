import { secretOptions } from '../frame/secrets.ts';
import type { ArgSpec, OptionSpec } from '../frame/spec.ts';

const completeEvents = () => import('./completers.ts').then((completers) => completers.completeEvents);

export const webhookArgument: ArgSpec = {
  name: 'id',
  summary: 'id of the webhook, as webhook list shows it',
  complete: () => import('./completers.ts').then((completers) => completers.completeWebhooks),
};

export const eventOption: OptionSpec = {
  name: 'event',
  value: 'EVENT',
  summary: "event to send, as webhook events lists them, or '*' for all",
  repeat: true,
  complete: completeEvents,
};

/** Which events of a log. */
export const eventFilter: OptionSpec = {
  ...eventOption,
  summary: 'only deliveries of this event',
};

export const productOption: OptionSpec = {
  name: 'product',
  value: 'SLUG',
  summary: 'only events of this product',
  repeat: true,
  complete: () => import('../completers.ts').then((completers) => completers.completeProducts),
};

/** An own secret, where a new one would be made. */
export const ownSecret: readonly OptionSpec[] = secretOptions(
  'secret',
  'your own signing secret of 16 to 255 characters; without it a new one is made',
);

/** Values of headers may be credentials, so they stand on no command line. */
export const headerOptions: readonly OptionSpec[] = secretOptions(
  'headers',
  "headers to send too, one 'Name: value' per line",
);
