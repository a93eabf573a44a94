import * as integrations from '#licensing/purchases/integrations/index.ts';
import type { Cli } from '../frame/context.ts';
import { withLocal } from '../open.ts';

/** More would not be read on a key press. */
const MOST = { page: 1, limit: 500 };

/** Names of the integrations. */
export const completeIntegrations = (cli: Cli): Promise<readonly string[]> =>
  withLocal(cli, async ({ ctx }) => (await integrations.list(ctx, MOST)).items.map(({ name }) => name));
