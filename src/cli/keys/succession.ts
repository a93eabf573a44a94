import type { z } from 'zod';
import type { SuccessionView } from '#licensing/catalog/keys/view.ts';
import { noteChange, planned } from '../change.ts';
import { at, type Desk } from '../desk/desk.ts';
import type { Cli } from '../frame/context.ts';
import { keyCard } from './key-card.ts';
import { type KeyBridges, shapeOf, withKeys } from './twin.ts';

type Succession = z.output<typeof SuccessionView>;

/** `appctl keys activate KEYID`. */
export function activateKey(cli: Cli): Promise<void> {
  return withKeys(cli, async (desk) => {
    const [keyId, product] = [cli.argument('keyid'), cli.option('product')];
    const strandOldClients = cli.flag('strand-old-clients');
    const leading = await bridgesOf(desk, keyId, product);
    if (leading.oldKeyId !== null) await askToActivate(cli, keyId, leading);
    const path = at`signing-keys/${keyId}/activate`;
    const done = await desk.post<Succession>(path, { product, strandOldClients });
    const { changed, retired } = done;
    const key = shapeOf(done.key);
    await cli.out.value(planned(cli, key), keyCard(key));
    if (!changed) return noteChange(cli, `${key.keyId} was already ACTIVE`);
    const before = retired === null ? '' : `; ${retired} is retired, its releases stay valid`;
    noteChange(cli, `${key.keyId} signs the releases of ${key.product} from now on${before}`);
    tellOfDelegation(cli, done);
  });
}

const bridgesOf = (desk: Desk, keyId: string, product: string | undefined): Promise<KeyBridges> =>
  desk.get<KeyBridges>(at`signing-keys/${keyId}/bridges`, { product });

/**
 * Shows which releases lead clients over and asks. Where some would be left behind the use case refuses without being
 * asked, unless --strand-old-clients was given.
 */
async function askToActivate(
  cli: Cli,
  keyId: string,
  { oldKeyId, releases, stranded }: KeyBridges,
): Promise<void> {
  const named = releases.map(({ version, channel, platform, arch }) =>
    [version, channel, platform, arch].filter((part) => part !== '').join(' '),
  );
  const places = stranded.join(', ');
  if (!cli.json && named.length > 0) {
    cli.note(
      `Bridging releases, signed by ${oldKeyId} and published after ${keyId} was registered: ${named.join('; ')}.`,
    );
  }
  // Where nothing was published before, nobody can be left behind, and nothing has to lead over.
  if (!cli.json && named.length === 0 && stranded.length > 0) {
    cli.note(`No published release bridges from key ${oldKeyId} to ${keyId}.`);
  }
  if (stranded.length > 0 && !cli.flag('strand-old-clients')) return;
  const lost =
    stranded.length === 0 ? '' : `; clients on ${places} that know only ${oldKeyId} will get no more updates`;
  await cli.confirm({
    action: `let ${keyId} sign from now on and retire ${oldKeyId} for good${lost}`,
  });
}

/** `appctl keys retire KEYID`. */
export function retireKey(cli: Cli): Promise<void> {
  return withKeys(cli, async (desk) => {
    const [keyId, asked] = [cli.argument('keyid'), cli.option('product')];
    const { status, product } = (await bridgesOf(desk, keyId, asked)).key;
    if (status !== 'RETIRED')
      await cli.confirm({ action: `retire the ${status} key ${keyId} of ${product}` });
    const done = await desk.post<Succession>(at`signing-keys/${keyId}/retire`, { product: asked });
    const answer = { ok: true as const, action: 'retired' as const, id: keyId, changed: done.changed };
    await cli.out.value(planned(cli, answer), () => `${keyId} is RETIRED`);
    noteChange(
      cli,
      done.changed ? `retired ${keyId}; what it signed stays valid` : `${keyId} was already RETIRED`,
    );
    if (done.retired !== null) {
      cli.warn(`the product ${product} has no ACTIVE key: nothing can be published`);
      cli.next('appctl keys list', 'appctl keys activate KEYID');
    }
    tellOfDelegation(cli, done);
  });
}

/** A delegation ends with its root key, and offline tokens with it: somebody has to know. */
function tellOfDelegation(cli: Cli, { delegation, key }: Succession): void {
  if (delegation === null) return;
  if (delegation.renewed) {
    cli.note(`the online key ${delegation.keyId} was delegated again`);
    return;
  }
  cli.warn(
    `the online key ${delegation.keyId} needs a delegation by the new key; no offline tokens are issued until then`,
  );
  cli.next(
    `appctl keys online list --product ${key.product}`,
    `appctl keys delegate --product ${key.product} --key NEW.key --pub PUBLIC`,
  );
}
