import type { z } from 'zod';
import type { KeyBridgesView, RegisteredKeyView, SigningKeyView } from '#licensing/catalog/keys/view.ts';
import { type KeyShape, keyShape } from '#signing/keys/key-shape.ts';
import { at, type Desk } from '../desk/desk.ts';
import { type Twins, withDesk } from '../desk/open.ts';
import type { Cli } from '../frame/context.ts';

/** What would lead clients to a key. */
export type KeyBridges = z.output<typeof KeyBridgesView>;

const twins: Twins = async () => {
  const [{ keyAdminEndpoints }, { onlineKeyResource, signingKeyResource }] = await Promise.all([
    import('#licensing/catalog/keys/admin-endpoints.ts'),
    import('#licensing/catalog/keys/resource.ts'),
  ]);
  const resources = [signingKeyResource, onlineKeyResource];
  return [...keyAdminEndpoints, ...resources.flatMap((one) => one.endpoints('license-admin'))];
};

/** Opens the desk of a command about registered keys. Throws as withDesk does. */
export const withKeys = <T>(cli: Cli, work: (desk: Desk) => Promise<T>): Promise<T> =>
  withDesk(cli, twins, work);

/** Reads the key of a key id. */
export const keyOf = async (desk: Desk, keyId: string): Promise<RegisteredKeyView> =>
  (await desk.get<{ key: RegisteredKeyView }>(at`signing-keys/${keyId}`)).key;

/** `Key` of cli.md section 2, of a registered key. */
export const shapeOf = ({
  publicKey,
  product,
  status,
  createdAt,
  serverHeld,
}: z.output<typeof SigningKeyView>): KeyShape =>
  keyShape(Buffer.from(publicKey, 'base64'), {
    product,
    status,
    createdAt,
    encrypted: serverHeld,
    registered: true,
    serverHeld,
  });
