import { testPage } from './run-page.ts';

testPage('work-from-your-desk', {
  serve: [],
  instead: async (port) => ({ 'https://licenses.example.com': `http://127.0.0.1:${port}` }),
});
