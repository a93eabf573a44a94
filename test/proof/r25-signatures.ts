// R25: what `release sign` signs, everybody can verify by their own means, and nobody takes anything else for it.
import { mkdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  bundleClaim,
  type Claim,
  flippedClaim,
  PARTS,
  type ReleaseKey,
  type SignatureRecord,
  type SignedBundle,
  statementClaim,
  type WrongMessage,
  wrongClaim,
  wrongMessages,
} from './parts/claims.ts';
import { faultyMethods, fixtureKeys, fixtureSigner, soundMethod } from './parts/fixture-signer.ts';
import { signOtherwise } from './parts/other-formats.ts';
import type { Outcome, Proof, ProofBench } from './parts/proof.ts';
import {
  executableSigner,
  KEY_KINDS,
  makeKeys,
  type Signer,
  tryWrongPassphrase,
  writeBundles,
} from './parts/release-signer.ts';
import { checkByExecutable } from './parts/release-verify.ts';
import { examine, Tally } from './parts/signature-tally.ts';
import { layOut, requireVerifiers, type Verifier, verifiers } from './parts/verifiers.ts';

const BUNDLES = 1000;
const FLIPS = 1000;
/** Files of one call: a call takes half a second to start. */
const BATCH = 100;
/** Bundles that are signed again by themselves, and bundles with a signature over something else. */
const SOME = 10;
/** A file of the size of a digest is not signed as a whole: it could pass for one (licensing 6.1). */
const LONGEST_DIGEST = 64;
/** Exit code of a wrong passphrase, and how soon it is told, whatever the size of the bundle. */
const AUTHENTICATION = 4;
const PASSPHRASE_MS = 2000;
/** Enough for each of the planted faults to be met. */
const FAULT_BUNDLES = 40;

/** Signs all bundles in batches, each with a key and a version of its own. */
async function signAll(
  signer: Signer,
  keys: readonly ReleaseKey[],
  paths: readonly string[],
): Promise<SignedBundle[]> {
  const signed: SignedBundle[] = [];
  for (const [i, key] of keys.entries()) {
    const batch = paths.filter((_, n) => n % keys.length === i);
    const version = `1.0.${i}`;
    const records = await signer.sign(key, batch, version, null);
    for (const [n, path] of batch.entries()) {
      const record = records[n] as SignatureRecord;
      signed.push({ path, content: await readFile(path), key, version, record });
    }
  }
  return signed;
}

/** Signing is deterministic: alone, later and elsewhere a bundle gets the same signature. */
async function signAgain(
  tally: Tally,
  signer: Signer,
  chosen: readonly SignedBundle[],
  outDir: string,
): Promise<void> {
  for (const { key, path, version, record } of chosen) {
    const [second] = await signer.sign(key, [path], version, outDir);
    tally.again += 1;
    tally.differing.unless(
      second?.signature === record.signature,
      () => `${path} was signed differently again`,
    );
  }
}

function claimsOf({ random, quick }: ProofBench, signed: readonly SignedBundle[], flips: number): Claim[] {
  const filled = signed.filter(({ content }) => content.length > 0);
  const some = random.shuffled(filled).slice(0, quick ? SOME / 2 : SOME);
  const forms = Object.keys(wrongMessages) as WrongMessage[];
  return [
    ...signed.map(bundleClaim),
    ...signed.filter((_, i) => i % SOME === 0).map(statementClaim),
    ...Array.from({ length: flips }, (_, i) => {
      const subject = filled[random.below(filled.length)] as SignedBundle;
      return flippedClaim(subject, PARTS[i % PARTS.length] as (typeof PARTS)[number], random);
    }),
    ...some.flatMap((subject) => forms.map((form) => wrongClaim(subject, form))),
  ];
}

/** Asks each of them about all of it, all at the same time. */
async function judge(
  tally: Tally,
  claims: readonly Claim[],
  folder: string,
  asked: readonly Verifier[] = verifiers,
): Promise<void> {
  tally.claims.push(...claims);
  tally.verifiers = asked.length;
  const startedAt = performance.now();
  layOut(claims, folder);
  await Promise.all(
    asked.map(async (verifier) => {
      const answers = await verifier.judge(claims, folder);
      for (const [i, { name, isTrue }] of claims.entries()) {
        const complaints = isTrue ? tally.refused : tally.accepted;
        const did = isTrue ? 'refused' : 'accepted';
        complaints.unless(answers[i] === isTrue, () => `${verifier.name} ${did} ${name}`);
      }
    }),
  );
  tally.seconds += Math.round((performance.now() - startedAt) / 100) / 10;
}

function foldersOf({
  folder,
}: ProofBench): Record<'bundles' | 'claims' | 'again' | 'other' | 'checks', string> {
  const folders = { bundles: '', claims: '', again: '', other: '', checks: '' };
  for (const name of Object.keys(folders) as (keyof typeof folders)[]) {
    folders[name] = join(folder, name);
    mkdirSync(folders[name]);
  }
  return folders;
}

async function run(bench: ProofBench): Promise<Outcome> {
  const { exe, random, quick } = bench;
  const folders = foldersOf(bench);
  const launch = { exe, cwd: bench.folder, env: { APPCTL_DATA_DIR: join(bench.folder, 'data') } };
  const share = (count: number): number => (quick ? count / 10 : count);
  const paths = writeBundles(folders.bundles, share(BUNDLES), random);
  const keys = await makeKeys(launch, bench.folder, Math.max(KEY_KINDS, share(BUNDLES) / BATCH));
  const signer = executableSigner(launch);
  const tally = new Tally();
  const signed = await signAll(signer, keys, paths);
  tally.signed = signed.length;
  for (const one of signed) examine(tally, one);
  await signAgain(tally, signer, random.shuffled(signed).slice(0, quick ? 3 : SOME), folders.again);
  const subjects = signed.filter(({ key, content }) => key === keys[2] && content.length > LONGEST_DIGEST);
  const other = await signOtherwise(launch, folders.other, subjects.slice(0, SOME), random);
  const claims = [...claimsOf(bench, signed, share(FLIPS)), ...other.claims];
  await judge(tally, claims, folders.claims);
  const own = await checkByExecutable(launch, folders.checks, signed, random);
  const { code, ms } = await tryWrongPassphrase(launch, bench.folder);
  const isTold = code === AUTHENTICATION && ms < PASSPHRASE_MS;
  const late = isTold ? [] : [`a wrong passphrase ended with ${code} after ${ms} ms`];
  const more = {
    minisign_runs: other.runs,
    minisign_wrong: other.wrong.count,
    own_verdicts: own.verdicts,
    own_wrong: own.wrong.count,
    wrong_passphrase_ms: ms,
  };
  return tally.outcome(more, [...other.wrong.notes, ...own.wrong.notes, ...late]);
}

/** The same on a few bundles of the fixture, with a signer that is at fault. */
const signerFault =
  (name: keyof typeof faultyMethods) =>
  (bench: ProofBench): Promise<Outcome> =>
    stage(bench, fixtureSigner(faultyMethods[name]), verifiers);

async function stage(bench: ProofBench, signer: Signer, asked: readonly Verifier[]): Promise<Outcome> {
  const folders = foldersOf(bench);
  const tally = new Tally();
  const signed = await signAll(
    signer,
    fixtureKeys(2),
    writeBundles(folders.bundles, FAULT_BUNDLES, bench.random),
  );
  tally.signed = signed.length;
  for (const one of signed) examine(tally, one);
  await signAgain(tally, signer, signed.slice(0, 2), folders.again);
  await judge(tally, claimsOf(bench, signed, FAULT_BUNDLES), folders.claims, asked);
  return tally.outcome();
}

/** Takes a signature that was good once for good always, whatever stands beside it now. */
const forgetful: Verifier = {
  name: 'one that remembers signatures',
  async judge(claims, folder) {
    const [sound] = verifiers.filter(({ name }) => name === 'node:crypto') as [Verifier];
    const answers = await sound.judge(claims, folder);
    const good = new Set(
      claims.filter((_, i) => answers[i]).map(({ signature }) => signature.toString('hex')),
    );
    return claims.map(({ signature }) => good.has(signature.toString('hex')));
  },
};

export const r25: Proof = {
  id: 'R25',
  // No database has a part in it.
  databases: ['sqlite'],
  requireTools: requireVerifiers,
  faults: {
    'signs-hex-text': signerFault('signs-hex-text'),
    'signs-raw-bytes': signerFault('signs-raw-bytes'),
    'signs-the-first-chunk': signerFault('signs-the-first-chunk'),
    'signs-by-chance': signerFault('signs-by-chance'),
    'remembers-signatures': (bench) => stage(bench, fixtureSigner(soundMethod), [forgetful]),
  },
  run,
};
