import type { z } from 'zod';
import type { ApiKeyDetails, ApiKeyView } from '#platform/api-keys/view.ts';
import { at, type Desk } from '../desk/desk.ts';
import { withDesk } from '../desk/open.ts';
import { twinsOf } from '../desk/resource.ts';
import type { Cli } from '../frame/context.ts';

/** An API key as an operation answers it. */
export interface OneApiKey {
  readonly apiKey: ApiKeyView;
}

const twins = twinsOf(async () => [(await import('#licensing/insight/api-keys/resource.ts')).apiKeyResource]);

/** Opens the desk of a command about API keys. Throws as withDesk does. */
export const withApiKeys = <T>(cli: Cli, work: (desk: Desk) => Promise<T>): Promise<T> =>
  withDesk(cli, twins, work);

/** Reads an API key, with the requests that limits refused it. */
export const apiKeyOf = async (desk: Desk, id: string): Promise<z.output<typeof ApiKeyDetails>> =>
  (await desk.get<{ apiKey: z.output<typeof ApiKeyDetails> }>(at`api-keys/${id}`)).apiKey;
