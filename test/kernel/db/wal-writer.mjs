// Another process that writes into a database until it is told to end: what a command beside a server does, and worse.
import Driver from 'better-sqlite3';

const [path, seed] = process.argv.slice(2);
let state = Number(seed);
const random = (below) => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return state % below;
};
const connection = new Driver(path, { timeout: 60_000 });
connection.pragma('synchronous = 1');
// Transactions spill into the log before they are committed.
connection.pragma('cache_size = 5');
const insert = connection.prepare('INSERT INTO facts (who, text) VALUES (?, ?)');
const remove = connection.prepare('DELETE FROM facts WHERE id % 97 = ?');
const some = (count) => {
  for (let i = 0; i < count; i += 1) insert.run(`process ${process.pid}`, 'x'.repeat(random(3000)));
};
let isPaused = false;
const turn = () => {
  if (isPaused) return;
  const what = random(10);
  connection.exec('BEGIN IMMEDIATE');
  if (what < 7) some(1 + random(40));
  else if (what === 7) remove.run(random(97));
  else some(200);
  connection.exec(what === 8 ? 'ROLLBACK' : 'COMMIT');
  if (what === 9) connection.pragma('wal_checkpoint(PASSIVE)');
  if (random(40) === 0) connection.pragma('wal_checkpoint(TRUNCATE)');
  setTimeout(turn, random(4) === 0 ? 20 + random(40) : random(6));
};
// Between two transactions, as everything here.
process.on('message', (word) => {
  isPaused = word === 'pause';
  if (!isPaused) turn();
  process.send('done');
});
turn();
process.on('SIGTERM', () => {
  connection.close();
  process.exit(0);
});
