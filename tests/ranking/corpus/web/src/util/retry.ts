/** Repeats a call that failed for a reason that may pass: no network, 429, 5xx. */
export async function withRetry<T>(call: () => Promise<T>, attempts = 3): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      const status = (error as { status?: number }).status ?? 503;
      if (attempt === attempts || (status < 500 && status !== 429)) throw error;
      await new Promise((done) => setTimeout(done, 250 * 2 ** attempt));
    }
  }
}
