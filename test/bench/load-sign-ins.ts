// Many sign-ins at once, in a process of their own so that their work is not that of who measures beside them.

/** What this process is told. */
export interface SignInsJob {
  url: string;
  /** How many sign in at the same time, none of them with an account. */
  count: number;
}

const { url, count } = JSON.parse(process.argv[2] ?? '') as SignInsJob;

async function signIn(n: number): Promise<number> {
  const reply = await fetch(`${url}/api/v1/admin/auth/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ email: `nobody-${n}@example.com`, password: 'not the right password' }),
  });
  await reply.arrayBuffer();
  if (reply.status !== 401 && reply.status !== 429) throw new Error(`a sign-in was answered ${reply.status}`);
  return reply.status;
}

const statuses = await Promise.all(Array.from({ length: count }, (_, n) => signIn(n)));
// How many passwords were hashed; the others were told to come again.
process.stdout.write(`${JSON.stringify({ hashed: statuses.filter((status) => status === 401).length })}\n`);
