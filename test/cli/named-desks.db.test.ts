// What people call a thing in place of its id, on the local installation and on a server alike.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type BothDesks, openBothDesks } from '../support/both-desks.ts';

let desks: BothDesks;
let id: string;
let other: string;
beforeAll(async () => {
  desks = await openBothDesks();
  const { app } = desks;
  const { id: productId } = await app.product({ slug: 'editor', name: 'Editor' });
  ({ id } = await app.license({ productId, orderId: 'SHOP-7', customerEmail: 'ann@x.test' }));
  other = (await app.license({ productId, customerEmail: 'bea@x.test' })).id;
  await app.license({ productId, customerEmail: 'bea@x.test' });
});
afterAll(() => desks.close());

/** As many letters as tell two ids apart. */
const beginning = (one: string, two: string): string =>
  one.slice(0, [...one].findIndex((letter, at) => letter !== two[at]) + 1);

it('the beginning of an id leads to what has it; of several the candidates are named', () =>
  desks.same(async ({ answer, failure, run }) => {
    const short = beginning(id, other);
    expect(await answer(`license show ${short}`)).toMatchObject({ id });
    expect(await answer(`license show ${short.toLowerCase()}`)).toMatchObject({ id });
    expect(await answer(`license suspend ${short} --reason test --yes --dry-run`)).toMatchObject({ id });
    expect(await answer(`requests list --license ${short}`)).toMatchObject({ items: [] });
    expect(await run(`license validate --license ${short} --machine machine-0001`)).toMatchObject({
      code: 5,
    });
    const { exit, message, hint, details } = await failure('license show lic_01');
    expect([exit, hint]).toEqual([2, 'use the id of one of them']);
    expect(message).toMatch(/^lic_01 matches \d+ things:\nlic_\w{26} {2}APP-\w{4} {2}bea@x.test {2}ACTIVE\n/);
    expect(details).toMatchObject({ candidates: expect.arrayContaining([id, other]) });
    expect(await failure('license show lic_7ZZZZ')).toMatchObject({ exit: 3 });
  }));

it('a license is also called by its order, its key prefix and, when it is the only one, by the e-mail', () =>
  desks.same(async ({ answer, failure, run, tag }) => {
    expect(await answer('license show SHOP-7')).toMatchObject({ id });
    expect(await answer('license show Ann@x.test')).toMatchObject({ id });
    expect(await failure('license show bea@x.test')).toMatchObject({ exit: 2 });
    expect(await failure('license show nobody@x.test')).toMatchObject({ exit: 3 });
    const email = `${tag}@x.test`;
    const { keyPrefix } = await answer<{ keyPrefix: string }>(
      `license mint --product editor --email ${email} --perpetual`,
    );
    expect(await answer(`license show ${keyPrefix}`)).toMatchObject({ customerEmail: email });
    const rekeyed = await answer<{ keyPrefix: string }>(`license rekey ${email} --reason lost --yes`);
    for (const line of [`license show ${keyPrefix}`, `license find ${keyPrefix}`]) {
      const { code, stdout, stderr } = await run(line);
      expect([code, stdout]).toEqual([0, expect.stringContaining(email)]);
      expect(stderr).toMatch(
        new RegExp(`^the key ${keyPrefix}… was replaced: .* now has the key ${rekeyed.keyPrefix}…$`, 'm'),
      );
    }
  }));

it('a text that stands in an address, a name or a key is nobody’s name: nothing is done to that license', () =>
  desks.same(async ({ answer, failure, tag }) => {
    const email = `anna-${tag}@x.test`;
    const mint = `license mint --product editor --email ${email} --name Jean-Paul-${tag} --perpetual`;
    const one = await answer<{ id: string; keyPrefix: string }>(mint);
    for (const text of [`anna-${tag}`, `Jean-Paul`, one.keyPrefix.slice(1), `nna-${tag.slice(0, 4)}`]) {
      expect([text, (await failure(`license show ${text}`)).exit]).toEqual([text, 3]);
      expect([text, (await failure(`license revoke ${text} --reason x --yes`)).exit]).toEqual([text, 3]);
    }
    await answer(`license delete ${one.id} --yes`);
    expect(await failure(`license purge nna-${tag.slice(0, 4)} --confirm nna-${tag}`)).toMatchObject({
      exit: 3,
    });
    expect(await answer(`license restore ${email}`)).toMatchObject({ id: one.id });
    expect(await answer(`license show ${email}`)).toMatchObject({ status: 'ACTIVE' });
  }));

it('a question names the license that was found, and only its id confirms', () =>
  desks.atEach(async ({ answer, failure, tag }) => {
    const one = await answer<{ id: string; keyPrefix: string }>(
      `license mint --product editor --email q-${tag}@x.test --order-id Q-${tag} --perpetual`,
    );
    const words = `license ${one.id} (${one.keyPrefix}…, editor for q-${tag}@x.test)`;
    const { exit, message } = await failure(`license revoke Q-${tag} --reason x`);
    expect([exit, message]).toEqual([10, expect.stringContaining(words)]);
    await answer(`license delete ${one.id} --yes`);
    const purge = await failure(`license purge Q-${tag} --confirm Q-${tag}`);
    expect([purge.exit, purge.message]).toEqual([10, expect.stringContaining(words)]);
    expect(await answer(`license purge Q-${tag} --confirm ${one.id}`)).toMatchObject({ id: one.id });
  }));

it('several are refused before the first is changed, when one of them may mean another', () =>
  desks.same(async ({ answer, failure, tag }) => {
    const { id: one } = await answer<{ id: string }>(
      `license mint --product editor --email batch-${tag}@x.test --perpetual`,
    );
    expect(await failure(`license suspend ${one} bea@x.test --reason x`)).toMatchObject({ exit: 2 });
    expect(await answer(`license show ${one}`)).toMatchObject({ status: 'ACTIVE' });
  }));

it('commands that do one thing with a license find it by the same names', () =>
  desks.same(async ({ failure }) => {
    const { exit, message } = await failure('license token Ann@x.test --machine machine-0001');
    expect([exit, message]).not.toEqual([3, expect.anything()]);
    expect(message).not.toMatch(/Ann@x.test was not found/);
  }));

it('a whole key that was replaced finds its license and says so', () =>
  desks.same(async ({ answer, run, tag }) => {
    const { id: one, key } = await answer<{ id: string; key: string }>(
      `license mint --product editor --email old-${tag}@x.test --perpetual --reveal`,
    );
    await answer(`license rekey ${one} --reason lost --yes`);
    const { stdout, stderr } = await run('license show --key-stdin', { input: key });
    expect(stdout).toContain(one);
    expect(stderr).toMatch(/^the key .* was replaced: license lic_/m);
  }));

it('a release is called PRODUCT@VERSION, and by the beginning of its id', () =>
  desks.atEach(async ({ answer, failure, tag }) => {
    await answer(`product create --name Viewer --slug viewer-${tag}`);
    const made = await answer<{ id: string }>(`release create --product viewer-${tag} --version 1.2.0`);
    await answer(`release create --product viewer-${tag} --version 1.2.1`);
    expect(await answer(`release show viewer-${tag}@1.2.0`)).toMatchObject({ id: made.id });
    expect(await failure(`release show viewer-${tag}@1.3.0`)).toMatchObject({ exit: 3 });
    expect(await answer(`release show ${made.id.slice(0, 29)}`)).toMatchObject({ id: made.id });
  }));

it('so are API keys and webhooks of both services, and what the shop has', () =>
  desks.atEach(async ({ answer, tag }) => {
    const key = await answer<{ id: string }>(
      `apikey create --service store --name k-${tag} --scope orders:read`,
    );
    expect(await answer(`apikey show ${key.id.slice(0, 29)}`)).toMatchObject({ id: key.id });
    const customer = await answer<{ id: string }>(`store customer create --email shop-${tag}@x.test`);
    expect(await answer(`store customer show ${customer.id.slice(0, 29)}`)).toMatchObject({
      id: customer.id,
    });
  }));
