import { count } from '#kernel/http/fields.ts';
import { ApiKeyDetails, ApiKeyView } from '#platform/api-keys/view.ts';

const calls24h = count().describe(
  'Calls of the last 24 hours, in whole hours; those of the last ten seconds may be missing',
);

/** A key of the license API, with how much it is used. */
export const CountedKeyView = ApiKeyView.extend({ calls24h }).meta({ id: 'ApiKey' });

/** And with the requests that limits refused in the last 24 hours. */
export const CountedKeyDetails = ApiKeyDetails.extend({ calls24h }).meta({ id: 'ApiKeyDetails' });
