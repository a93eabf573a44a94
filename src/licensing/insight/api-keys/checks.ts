import { type Check, type Finding, ok, onSchema, warn } from '#kernel/check.ts';
import type { Ctx } from '#kernel/context.ts';
import type { ApiKey } from '#platform/api-keys/index.ts';
import { listLiveKeys } from './queries.ts';

/** A key inside an application is public: whoever has the application has it. */
function missingOf({ productIds, limits }: ApiKey): string[] {
  return [
    ...(productIds === null || productIds.length === 0 ? ['is not bound to a product'] : []),
    ...(limits === null || Object.keys(limits).length === 0 ? ['has no limit of its own'] : []),
  ];
}

async function checkEmbedded(ctx: Ctx): Promise<Finding> {
  const keys = (await listLiveKeys(ctx)).filter(({ scope }) => scope === 'VALIDATE_ONLY');
  if (keys.length === 0)
    return warn(
      'no API key of scope VALIDATE_ONLY exists: an application needs one, and should not have any other scope',
      'appctl apikey create --service license --name app --scope VALIDATE_ONLY --product SLUG --limit write=600/15m',
    );
  const [open] = keys.filter((key) => missingOf(key).length > 0);
  if (!open) return ok('every API key for applications is bound to its product and limited');
  const more = missingOf(open).join(' and ');
  return warn(
    `the API key ${open.name} (${open.prefix}…) ${more}; anyone who has the application has the key`,
    `appctl apikey update ${open.id} --product SLUG --limit write=600/15m`,
  );
}

export const apiKeyChecks: readonly Check[] = [
  {
    id: 'license.embedded-key',
    title: 'API keys inside applications',
    launch: 'Limit the API key inside your application',
    run: onSchema(checkEmbedded),
  },
];
