import { nodes } from '../packaging/nodes.ts';
import { testPage } from './run-page.ts';

// Its commands make keys and a folder, which can be made once: the program that they lead to runs in each Node.
const check = nodes.map(({ path }) => `"${path}" check.js "$KEY" | grep "^unlocked - "`).join('\n');

testPage('use-the-client', { serve: [], around: { after: check } });
