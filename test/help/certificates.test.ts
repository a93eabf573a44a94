import { testPage } from './run-page.ts';

testPage('certificates');
