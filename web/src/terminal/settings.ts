import { useState } from 'react';

/** What somebody likes terminals to be, in this browser. */
export interface TerminalSettings {
  fontSize: number;
  isForReader: boolean;
}

const KEY = 'siteyard.terminal settings';
const SIZES = { smallest: 9, usual: 14, narrow: 12, largest: 28 };

export function useTerminalSettings(): [TerminalSettings, (change: Partial<TerminalSettings>) => void] {
  const [settings, set] = useState(read);
  return [
    settings,
    (change) => {
      const next = { ...settings, ...change };
      next.fontSize = Math.min(SIZES.largest, Math.max(SIZES.smallest, next.fontSize));
      set(next);
      try {
        localStorage.setItem(KEY, JSON.stringify(next));
      } catch {
        // Blocked storage: the choice lasts as long as the page.
      }
    },
  ];
}

function read(): TerminalSettings {
  const usual = { fontSize: innerWidth < 640 ? SIZES.narrow : SIZES.usual, isForReader: false };
  try {
    const { fontSize, isForReader } = JSON.parse(localStorage.getItem(KEY) ?? '{}');
    return {
      fontSize: Number.isInteger(fontSize) ? fontSize : usual.fontSize,
      isForReader: isForReader === true,
    };
  } catch {
    return usual;
  }
}
