import type { ReleaseView } from '#licensing/releases/releases/view.ts';
import { at, type Desk, type FileSent } from '../desk/desk.ts';
import { type Twins, withDesk } from '../desk/open.ts';
import type { Cli } from '../frame/context.ts';

/** A release as the desk answers it: AdminRelease (licensing 4.3). */
export type DeskRelease = ReleaseView;

/** A bundle on its way to the desk. */
export interface BundleSource extends FileSent {
  /** Lower-case hex, what its bytes were when they were signed. */
  readonly sha256: string;
}

/** What was signed about a bundle, as `release sign` writes it. */
export interface DeskSignature {
  readonly signature: string;
  readonly keyId?: string | undefined;
  readonly statement?: string | undefined;
  readonly statementSignature?: string | undefined;
  readonly extra?: { readonly tauri?: string | undefined; readonly sparkle?: string | undefined } | undefined;
}

/** A statement and its signature. */
export interface SignedStatement {
  readonly statement: string;
  readonly statementSignature: string;
}

const twins: Twins = async () => {
  const [{ releaseResource }, keys] = await Promise.all([
    import('#licensing/releases/releases/resource.ts'),
    import('#licensing/catalog/keys/admin-endpoints.ts'),
  ]);
  return [...releaseResource.endpoints('license-admin'), ...keys.keyAdminEndpoints];
};

/** Opens the desk of a command about releases. Throws as withDesk does. */
export const withReleases = <T>(cli: Cli, work: (desk: Desk) => Promise<T>): Promise<T> =>
  withDesk(cli, twins, work);

interface One {
  readonly release: DeskRelease;
}

/** Reads a release. */
export const releaseOf = async (desk: Desk, id: string): Promise<DeskRelease> =>
  (await desk.get<One>(at`releases/${id}`)).release;

/** Makes a draft. */
export const makeDraft = async (desk: Desk, input: object): Promise<DeskRelease> =>
  (await desk.post<One>('releases', input)).release;

/** Does something to a release, `releases/{id}/{action}`. */
export const actOn = async (
  desk: Desk,
  id: string,
  action: string,
  body: object = {},
): Promise<DeskRelease> => (await desk.post<One>(at`releases/${id}/${action}`, body)).release;

/** Gives a draft its signature, or a published release a statement that is good for longer. */
export const signOn = async (
  desk: Desk,
  id: string,
  signature: Partial<DeskSignature>,
): Promise<DeskRelease> => (await desk.put<One>(at`releases/${id}/signature`, signature)).release;
