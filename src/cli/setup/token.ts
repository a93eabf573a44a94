import { issueSetupLink } from '#platform/accounts/index.ts';
import { lifetimeAsked } from '../admin-user/password.ts';
import { writeCard } from '../card.ts';
import type { Cli } from '../frame/context.ts';
import { withLocal } from '../open.ts';

/** `appctl setup token`. */
export function makeSetupToken(cli: Cli): Promise<void> {
  const seconds = lifetimeAsked(cli);
  return withLocal(cli, async ({ ctx }) => writeCard(cli, await issueSetupLink(ctx, seconds)));
}
