import type { z } from 'zod';
import type { ApiKeyDetails, ApiKeyView } from '#platform/api-keys/view.ts';
import { at, type Desk } from '../desk/desk.ts';
import { type Either, withEither, withStoreDesk } from '../desk/either.ts';
import { withDesk } from '../desk/open.ts';
import { twinsOf } from '../desk/resource.ts';
import type { Cli } from '../frame/context.ts';

/** An API key as an operation answers it. */
export interface OneApiKey {
  readonly apiKey: ApiKeyView;
}

const either: Either = {
  license: twinsOf(async () => [(await import('#licensing/insight/api-keys/resource.ts')).apiKeyResource]),
  store: async () => (await import('./store-desk.ts')).storeKeyTwins(),
  asLicense: async (desk) => (await import('./store-desk.ts')).asLicenseKeys(desk),
};

/** Opens the desk of a command about the API keys of the service that it names. Throws as withDesk does. */
export const withApiKeys = <T>(cli: Cli, work: (desk: Desk) => Promise<T>): Promise<T> =>
  cli.option('service') === 'store' ? withStoreDesk(cli, either, work) : withDesk(cli, either.license, work);

/** Opens the desk of the service that has the API key of the command. Throws as withDesk does. */
export const withApiKey = <T>(cli: Cli, work: (desk: Desk) => Promise<T>): Promise<T> =>
  withEither(cli, either, at`api-keys/${cli.argument('id')}`, work);

/** Reads an API key, with the requests that limits refused it. */
export const apiKeyOf = async (desk: Desk, id: string): Promise<z.output<typeof ApiKeyDetails>> =>
  (await desk.get<{ apiKey: z.output<typeof ApiKeyDetails> }>(at`api-keys/${id}`)).apiKey;
