import { listIntegrations } from '#licensing/purchases/integrations/index.ts';
import type { Cli } from '../frame/context.ts';
import { withLocal } from '../open.ts';

/** More would not be read on a key press. */
const MOST = { page: 1, limit: 500 };

/** Names of the inbound configurations. */
export const completeInbound = (cli: Cli): Promise<readonly string[]> =>
  withLocal(cli, async ({ ctx }) => (await listIntegrations(ctx, MOST)).items.map(({ name }) => name));
