"use strict";
/* Loads the page again when its server has a newer one. */
(() => {
  const mine = document.documentElement.dataset.version;
  const ask = async () => {
    try {
      const answer = await fetch("version", {cache: "no-store"});
      if (answer.ok && await answer.text() !== mine) location.reload();
    } catch (error) {
      document.getElementById("live").textContent = "The server has ended; this page stays as it is.";
      clearInterval(timer);
    }
  };
  const timer = setInterval(ask, 2000);
})();
