// The smallest page that shows that the server answers.
const answer = await fetch("/api/v1/server");
document.getElementById("app").textContent = await answer.text();
